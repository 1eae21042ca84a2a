package attack

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// words are few, so that requests name the same things.
var words = []string{"ann", "bob", "report", "contract", "machine", "approve", "comment.add", "general"}

// hostileTexts are texts that something may break on.
var hostileTexts = []string{
	"", " ", "null", "0", "\u0000", "a\u0000b", "\ufeff", "\u202egnp", "é", "e\u0301", "😀", strings.Repeat("😀", 60), "%00", "%s%n", "../../etc/passwd",
	"'; SELECT 1; --", "{{ann}}", "${x}", "<script>", `\`, `\u0000`, "\r\nx: y", "ÿ\u0130ı", strings.Repeat("a", 300), strings.Repeat("ab ", 3000),
	strings.Repeat("x", 70000), "1e400", "-0", "2026-02-30T00:00:00Z", "9999-12-31T23:59:59.999999999+14:00", "root", "__proto__", "a/b", "a.b", "ak_", "exec_0_0", "org%",
}

// hostile are values of every kind, in JSON.
var hostile = []string{
	`null`, `true`, `false`, `0`, `-1`, `1`, `0.5`, `1e308`, `1e999`, `9007199254740993`, `-9223372036854775808`, `18446744073709551616`, `[]`, `{}`, `[null]`,
	`{"":null}`, `[[[]]]`, `{"a":{"b":[1,"x"]}}`, `"2026-01-01T00:00:00Z"`, `"x"`,
}

// hostileValue is one of them, which nothing else shares.
func (g *generator) hostileValue() (value any) {
	decoder := json.NewDecoder(strings.NewReader(pick(g, hostile)))
	decoder.UseNumber()
	_ = decoder.Decode(&value) // they are JSON
	return value
}

// spoiled is the value with something wrong at one place, which may be anywhere in it.
func (g *generator) spoiled(value any) any {
	switch value := value.(type) {
	case object:
		names := slices.Sorted(maps.Keys(value))
		switch {
		case len(names) == 0 || g.often(5):
			value[pick(g, hostileTexts)] = g.hostileValue()
		case g.often(15):
			delete(value, pick(g, names))
		default:
			name := pick(g, names)
			value[name] = g.spoiled(value[name])
		}
		return value
	case []any:
		if len(value) > 0 && g.often(80) {
			at := g.random.IntN(len(value))
			value[at] = g.spoiled(value[at])
			return value
		}
		return append(value, g.hostileValue())
	}
	if g.often(50) {
		return pick(g, hostileTexts)
	}
	return g.hostileValue()
}

// broken is a body that is no JSON, or more than one.
func (g *generator) broken(body []byte) []byte {
	switch g.random.IntN(5) {
	case 0:
		return body[:g.random.IntN(len(body)+1)]
	case 1:
		return append(body, body...)
	case 2:
		return []byte(strings.Repeat("[", 100_000))
	case 3:
		return []byte(strings.Replace(string(body), `"`, "\"\xff", 1))
	}
	return []byte(`{"data":{"a":` + strings.Repeat(`{"a":`, 80) + `1` + strings.Repeat(`}`, 82))
}
