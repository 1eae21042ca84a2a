package collaboration

import (
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/directory"
)

// Item says what became of one item of a call.
type Item struct {
	Success bool   `json:"success"`
	ID      string `json:"id" doc:"the service's own id of the item, the same in every answer"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
	Code    string `json:"code,omitempty" enum:"not-found,already-exists,not-member,in-progress,cycle,already-decided,not-a-suggestion"`
}

// itemSentences say what the code of an entry means for a user.
var itemSentences = map[string]string{
	directory.CodeNotFound:  "The user does not exist.",
	directory.CodeNotMember: "The user was not added at this level.",
}

// thingSentences say what the code of an entry means for an organization or a
// document.
var thingSentences = map[string]string{
	directory.CodeNotFound:      "It does not exist.",
	directory.CodeAlreadyExists: "It exists already and stays as it is.",
	directory.CodeInProgress:    "A migration of a document has to end first.",
}

// thingSentence is the message of such an entry: done after success.
func thingSentence(e directory.Entry, done string) string {
	if e.Success() {
		return done
	}
	return thingSentences[e.Code]
}

// thingItems is the result of a call about organizations or documents.
func thingItems(entries []directory.Entry, done string) rpc.Keyed[Item] {
	return rpc.Each(entries, func(e directory.Entry) rpc.KeyedEntry[Item] {
		return rpc.KeyedEntry[Item]{Key: e.ID, Value: Item{e.Success(), e.ItemID, thingSentence(e, done), e.Code}}
	})
}

// sentence is the message of an entry: done after success.
func sentence(e directory.Entry, done string) string {
	if e.Success() {
		return done
	}
	return itemSentences[e.Code]
}
