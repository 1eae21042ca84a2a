package attack

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// generator makes requests.
type generator struct {
	*document
	random *rand.Rand
	known  known
	// about is the thing that the request is about.
	about map[string]string
	// receiver is the address of every receiver that requests name: nothing else is called.
	receiver string
}

// request is one call; body is empty where there is none.
type request struct {
	operation
	address string
	body    []byte
}

func newGenerator(seed, caller uint64) *generator {
	return &generator{random: rand.New(rand.NewPCG(seed, caller)), known: known{values: map[string][]string{}}}
}

// often returns whether something that happens so often (of 100) happens now.
func (g *generator) often(of100 int) bool { return g.random.IntN(100) < of100 }

func pick[T any](g *generator, of []T) T { return of[g.random.IntN(len(of))] }

// next makes a request: an example with other ids, or what the schema allows, and in most
// something is wrong.
func (g *generator) next() request {
	o := pick(g, g.operations)
	g.about = g.known.thing(g.random)
	r := request{operation: o, address: g.addressOf(o)}
	if o.schema == nil {
		r.body = []byte(pick(g, hostileTexts))
		return r
	}
	var body any
	if len(o.examples) > 0 && g.often(60) {
		body = g.filled(pick(g, o.examples), "", "")
	} else {
		body = g.made(o.schema, "", "", 0)
	}
	for g.often(35) {
		body = g.spoiled(body)
	}
	body = g.harmless(body)
	r.body, _ = json.Marshal(body)
	if g.often(2) {
		r.body = g.broken(r.body)
	}
	return r
}

// examples are all examples of the document but those that take something away, in any order.
func (g *generator) examples() (all []request) {
	for _, o := range g.operations {
		for _, example := range o.examples {
			if strings.HasSuffix(o.path, "/delete") || strings.HasSuffix(o.path, "/cancel") || strings.HasSuffix(o.path, "/reset") {
				continue
			}
			g.about = g.known.thing(g.random)
			body, _ := json.Marshal(g.harmless(g.filled(example, "", ""))) // it was JSON
			all = append(all, request{operation: o, address: g.addressOf(o), body: body})
		}
	}
	g.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// addressOf is the path with what stands in it, and what follows it.
func (g *generator) addressOf(o operation) string {
	token, is := g.known.any(g.random, "{token}")
	if !is || g.often(30) {
		token = url.PathEscape(pick(g, hostileTexts)) + "x"
	}
	address := strings.ReplaceAll(o.path, "{token}", token)
	if len(o.query) == 0 {
		return address
	}
	values := url.Values{}
	for _, name := range o.query {
		if g.often(80) {
			values.Set(name, g.text(object{}, name, ""))
		}
	}
	return address + "?" + values.Encode()
}

// filled is a copy of an example with values that are known in place of some.
func (g *generator) filled(value any, field, within string) any {
	switch value := value.(type) {
	case object:
		copied, next := object{}, field
		if field == "" {
			next = within
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			copied[name] = g.filled(value[name], name, next)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, inner := range value {
			if _, is := inner.(object); is {
				copied[i] = g.filled(inner, "", field)
			} else {
				copied[i] = g.filled(inner, field, within)
			}
		}
		return copied
	case string:
		if other, is := g.knownAs(nameOf(field, within)); is && g.often(70) {
			return other
		}
	}
	return value
}

// knownAs returns what the thing has under the name that the request is about, or else any other.
func (g *generator) knownAs(name string) (string, bool) {
	if value, is := g.about[name]; is && g.often(90) {
		return value, true
	}
	return g.known.any(g.random, name)
}

// deepest is how many levels a made value has at most.
const deepest = 8

// made is a value that the schema allows, as far as this looks.
func (g *generator) made(schema object, field, within string, depth int) any {
	schema = g.resolved(schema)
	for _, choices := range []string{"oneOf", "anyOf"} {
		if of, is := schema[choices].([]any); is {
			chosen, _ := pick(g, of).(object)
			return g.made(chosen, field, within, depth)
		}
	}
	if values, is := schema["enum"].([]any); is {
		return pick(g, values)
	}
	kind := g.kindOf(schema)
	switch kind {
	case "object":
		return g.fields(schema, field, within, depth)
	case "array":
		return g.items(schema, field, within, depth)
	case "string":
		return g.text(schema, field, within)
	case "integer", "number":
		return g.number(schema)
	case "boolean":
		return g.often(50)
	case "null":
		return nil
	}
	return g.hostileValue()
}

// kindOf is a type that the schema allows; seldom null where others are.
func (g *generator) kindOf(schema object) any {
	kinds, many := schema["type"].([]any)
	if !many {
		return schema["type"]
	}
	if g.often(90) {
		return kinds[0]
	}
	return pick(g, kinds)
}

func (g *generator) fields(schema object, field, within string, depth int) any {
	made, next := object{}, field
	if field == "" {
		next = within
	}
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if of, is := properties[name].(object); is && (slices.Contains(required, any(name)) || depth < deepest && g.often(35)) {
			made[name] = g.made(of, name, next, depth+1)
		}
	}
	if values, is := schema["additionalProperties"].(object); is && depth < deepest {
		for range g.random.IntN(3) {
			made[g.text(object{}, next, "")] = g.made(values, "", next, depth+1)
		}
	}
	return made
}

func (g *generator) items(schema object, field, within string, depth int) any {
	least, _ := schema["minItems"].(float64)
	made, of := []any{}, object{}
	if inner, is := schema["items"].(object); is {
		of = g.resolved(inner)
	}
	count := int(least)
	if depth < deepest {
		count += g.random.IntN(3)
	}
	for range count {
		if of["type"] == "object" {
			made = append(made, g.made(of, "", field, depth+1))
		} else {
			made = append(made, g.made(of, field, within, depth+1))
		}
	}
	return made
}

// text is a known value of the field's name, one of few words, or one that is hard.
func (g *generator) text(schema object, field, within string) string {
	if value, is := g.knownAs(nameOf(field, within)); is && g.often(75) {
		return value
	}
	switch schema["format"] {
	case "http-url":
		return g.receiver + "/" + pick(g, words)
	case "date-time":
		return "2026-01-0" + strconv.Itoa(1+g.random.IntN(9)) + "T00:00:00Z"
	}
	if g.often(80) {
		return pick(g, words) + strconv.Itoa(g.random.IntN(4))
	}
	text := pick(g, hostileTexts)
	if most, is := schema["maxLength"].(float64); is && g.often(80) && len(text) > int(most) {
		text = string([]rune(text)[:min(int(most), len([]rune(text)))])
	}
	return text
}

// number is one that the schema allows, of those at its borders more often.
func (g *generator) number(schema object) any {
	least, _ := schema["minimum"].(float64)
	most, is := schema["maximum"].(float64)
	if !is {
		most = pick(g, []float64{1, 100, 1.8e12})
	}
	switch g.random.IntN(4) {
	case 0:
		return int64(least)
	case 1:
		return int64(most)
	}
	return int64(least + g.random.Float64()*(max(most, least)-least))
}

// elsewhere is an address or a host that is not on this machine.
var elsewhere = regexp.MustCompile(`^(https?://|[a-z0-9.-]+\.example\.(com|org)$)`)

// harmless is the value without names of machines: all addresses are the receiver's.
func (g *generator) harmless(value any) any {
	switch value := value.(type) {
	case object:
		for name, inner := range value {
			value[name] = g.harmless(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = g.harmless(inner)
		}
	case string:
		if found := elsewhere.FindString(value); strings.HasPrefix(found, "http") && !strings.HasPrefix(value, "http://127.0.0.1") {
			return g.receiver + "/" + pick(g, words)
		} else if found != "" {
			return "host.invalid"
		}
	}
	return value
}
