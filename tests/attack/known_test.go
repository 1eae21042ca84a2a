package attack

import (
	"math/rand/v2"
	"strings"
)

// mostKnown is how many values of one name are remembered: older ones make room.
const mostKnown = 40

// same are names under which requests name what answers have under another.
var same = map[string]string{
	"reviewerid": "userid", "actorid": "userid", "fromreviewerid": "userid", "toreviewerid": "userid", "targetuserid": "userid",
	"sourceapikey": "apikey", "targetapikey": "apikey", "organizationusergroupid": "groupid", "parentfolderid": "folderid", "recordid": "judgmentid",
}

// known are the values of requests that were taken and of answers, by the names of their fields.
type known map[string][]string

// nameOf returns the name by which the value of a field is remembered: that of one thing, and
// where the field is a bare id, that of what it stands in.
func nameOf(field, within string) string {
	name := strings.ToLower(field)
	if name == "id" {
		name = singular(strings.ToLower(within)) + "id"
	}
	if strings.HasSuffix(name, "ids") || strings.HasSuffix(name, "keys") {
		name = strings.TrimSuffix(name, "s")
	}
	if other, is := same[name]; is {
		return other
	}
	return name
}

// singular is the name of one of those that a list is named after.
func singular(name string) string {
	if short, is := strings.CutSuffix(name, "ies"); is {
		return short + "y"
	}
	return strings.TrimSuffix(name, "s")
}

// learn remembers all texts in a value. Field is the name of what it is the value of, within
// that of what this stands in.
func (k known) learn(value any, field, within string) {
	switch value := value.(type) {
	case object:
		for name, inner := range value {
			next := field
			if field == "" {
				next = within
			}
			k.learn(inner, name, next)
		}
	case []any:
		for _, inner := range value {
			if _, is := inner.(object); is {
				k.learn(inner, "", field)
			} else {
				k.learn(inner, field, within)
			}
		}
	case string:
		k.add(nameOf(field, within), value)
		if _, token, is := strings.Cut(value, "/v2/memory/files/"); is {
			k.add("{token}", token)
		}
	}
}

func (k known) add(name, value string) {
	if value == "" || len(value) > 400 {
		return
	}
	k[name] = append(k[name], value)
	if len(k[name]) > mostKnown {
		k[name] = k[name][1:]
	}
}

// any returns a value that is known under the name, and whether there is one.
func (k known) any(random *rand.Rand, name string) (string, bool) {
	values := k[name]
	if len(values) == 0 {
		return "", false
	}
	return values[random.IntN(len(values))], true
}
