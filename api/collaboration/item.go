package collaboration

import (
	"slices"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/directory"
)

// Item says what became of one item of a call.
type Item struct {
	Success bool   `json:"success"`
	ID      string `json:"id" doc:"the service's own id of the item, the same in every answer"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
	Code    string `json:"code,omitempty" enum:"not-found,already-exists,not-member,in-progress,cycle,already-decided,not-a-suggestion,immutable,too-large,not-editable"`
}

// sentences say what the codes of entries mean.
type sentences map[string]string

// of is the message of an entry: done after success.
func (s sentences) of(e directory.Entry, done string) string {
	if e.Success() {
		return done
	}
	return s[e.Code]
}

// items is the result of a call; done is the message of an item after success.
func (s sentences) items(entries []directory.Entry, done string) rpc.Keyed[Item] {
	return rpc.Each(entries, func(e directory.Entry) rpc.KeyedEntry[Item] {
		return rpc.KeyedEntry[Item]{Key: e.ID, Value: Item{e.Success(), e.ItemID, s.of(e, done), e.Code}}
	})
}

// once returns each of the ids once, in the order of the first.
func once[T comparable](ids []T) []T {
	seen := make(map[T]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id T) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}
