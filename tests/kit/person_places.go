package kit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/redline-svc/redline/tests/kit/contract"
)

// knownBy are the keys under which people stand in requests: ids, addresses and pictures of users. (An initial is too short for a mark.)
var knownBy = regexp.MustCompile(`(?i)(user|reviewer|actor)(ids?)?$|^uid$|email|photo|By$`)

// noPerson are the requests in which no person of a workspace's organizations stands, by the beginning of their paths, with the reason.
var noPerson = map[string]string{
	"/v2/workspace/":            "they are about the workspace, its owner, its keys and its servers",
	"/v2/workflow/definitions/": "definitions are the caller's own and stay",
}

// personPlaces returns the places of requests that can hold a person, each behind the path of its operation: what people are known
// by, with the names beside that, and any JSON.
func personPlaces(document *contract.Document) map[string][]contract.Place {
	all := map[string][]contract.Place{}
	for operation, places := range document.Places() {
		if holdsNobody(operation) {
			continue
		}
		for _, place := range places {
			nothing := place.Open && place.Path == "data" // it has no field
			beside := contract.Place{Path: strings.TrimSuffix(place.Path, "name") + "userId"}
			if knownBy.MatchString(place.Key()) || place.Open && !nothing || place.Key() == "name" && slices.Contains(places, beside) {
				all[operation] = append(all[operation], place)
			}
		}
	}
	return all
}

// FollowedPerson is at which places of requests a person has stood.
type FollowedPerson struct {
	document *contract.Document
	*contract.Followed
}

// FollowPerson notes from now on where a person stands in requests of the package's tests.
func FollowPerson(m Person) FollowedPerson {
	return FollowedPerson{published, published.Follow(m.Mark)}
}

// Missing returns the places that can hold a person, but at which this one never stood.
func (f FollowedPerson) Missing() (all []string) {
	for operation, places := range personPlaces(f.document) {
		for _, place := range places {
			if !f.Stood(operation, place) {
				all = append(all, operation+" "+place.Path)
			}
		}
	}
	slices.Sort(all)
	return all
}

func holdsNobody(operation string) bool {
	for beginning := range noPerson {
		if strings.HasPrefix(operation, beginning) {
			return true
		}
	}
	return false
}
