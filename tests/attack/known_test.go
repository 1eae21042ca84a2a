package attack

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// How many values of one name, and how many things, are remembered: older ones make room; and
// how long a text may be.
const (
	mostKnown  = 40
	mostThings = 300
	longest    = 400
)

// same are names under which requests name what answers have under another.
var same = map[string]string{
	"reviewerid": "userid", "actorid": "userid", "fromreviewerid": "userid", "toreviewerid": "userid", "targetuserid": "userid",
	"sourceapikey": "apikey", "targetapikey": "apikey", "organizationusergroupid": "groupid", "parentfolderid": "folderid", "recordid": "judgmentid",
}

// known is what was answered, and what was asked by requests that changed something.
type known struct {
	// values are by the names of their fields.
	values map[string][]string
	// things are what answers say of one thing, with what it stands in: the ids of an execution
	// and of its step, of an organization, its document and an annotation in it.
	things []map[string]string
}

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
// that of what this stands in, and of what it has in common with all beside it.
func (k *known) learn(value any, field, within string, of map[string]string) {
	switch value := value.(type) {
	case object:
		k.learnThing(value, cmp.Or(field, within), of)
	case []any:
		for _, inner := range value {
			if _, is := inner.(object); is {
				k.learn(inner, "", field, of)
			} else {
				k.learn(inner, field, within, of)
			}
		}
	case string:
		k.add(nameOf(field, within), value)
		if _, token, is := strings.Cut(value, "/v2/memory/files/"); is {
			k.add("{token}", token)
		}
	}
}

// learnThing remembers what an object says, and with it what stands in it.
func (k *known) learnThing(thing object, within string, of map[string]string) {
	own := maps.Clone(of)
	for name, inner := range thing {
		if text, is := inner.(string); is && len(text) <= longest {
			own[nameOf(name, within)] = text
		}
	}
	if k.things = append(k.things, own); len(k.things) > mostThings {
		k.things = k.things[1:]
	}
	for name, inner := range thing {
		k.learn(inner, name, within, own)
	}
}

func (k *known) add(name, value string) {
	if value == "" || len(value) > longest {
		return
	}
	k.values[name] = append(k.values[name], value)
	if len(k.values[name]) > mostKnown {
		k.values[name] = k.values[name][1:]
	}
}

// fewKept is how many values of one name are kept from the workspace before.
const fewKept = 4

// age forgets most of what is known: in a new workspace nearly all of it is another one's.
func (k *known) age() {
	k.things = nil
	for name, values := range k.values {
		k.values[name] = slices.Clone(values[max(0, len(values)-fewKept):])
	}
}

// drop forgets a value, and the things that have it.
func (k *known) drop(name, value string) {
	k.values[name] = slices.DeleteFunc(k.values[name], func(other string) bool { return other == value })
	k.things = slices.DeleteFunc(k.things, func(thing map[string]string) bool { return thing[name] == value })
}

// any returns a value that is known under the name, and whether there is one.
func (k *known) any(random *rand.Rand, name string) (string, bool) {
	values := k.values[name]
	if len(values) == 0 {
		return "", false
	}
	return values[random.IntN(len(values))], true
}

// thing is what is known of one thing; empty at the beginning.
func (k *known) thing(random *rand.Rand) map[string]string {
	if len(k.things) == 0 {
		return nil
	}
	return k.things[random.IntN(len(k.things))]
}
