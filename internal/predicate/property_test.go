package predicate

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// numbers draws a number in JSON notation, small enough to be written out.
func numbers() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		text += rapid.StringMatching(`0|[1-9][0-9]{0,8}`).Draw(t, "whole")
		if rapid.Bool().Draw(t, "has fraction") {
			text += "." + rapid.StringMatching(`[0-9]{1,8}`).Draw(t, "fraction")
		}
		if rapid.Bool().Draw(t, "has exponent") {
			text += fmt.Sprintf("%s%s%d", rapid.SampledFrom([]string{"e", "E"}).Draw(t, "e"),
				rapid.SampledFrom([]string{"", "+", "-"}).Draw(t, "exponent sign"), rapid.IntRange(0, 40).Draw(t, "exponent"))
		}
		return text
	})
}

// TestDecimalsAreExact compares with fractions, which are exact and slow.
func TestDecimalsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers().Draw(t, "a"), numbers().Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := parseDecimal(a).compare(parseDecimal(b)), x.Cmp(y); got != want {
			t.Fatalf("%s against %s: %d, not %d", a, b, got, want)
		}
		if parseDecimal(a).compare(parseDecimal(a)) != 0 {
			t.Fatalf("%s does not equal itself", a)
		}
	})
}

// expressions draws a text that may be an expression.
func expressions() *rapid.Generator[string] {
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kind := rapid.IntRange(0, 4).Draw(t, "kind")
			if depth == 0 {
				kind = min(kind, 2)
			}
			switch kind {
			case 0:
				return rapid.SampledFrom([]string{`null`, `true`, `false`, `""`, `"approve"`, `1`, `-0.5e3`, `[1,"a"]`, `[]`}).Draw(t, "literal")
			case 1, 2:
				return read(rapid.SampledFrom([]string{
					"output.list", "output.text", "output.big", "output.obj.a.b.1", "output.nothing.0", "step.status", "execution.input.title", "output",
				}).Draw(t, "path"))
			default:
				names := []string{
					"eq", "ne", "gt", "gte", "lt", "lte", "and", "or", "not", "in", "includes", "startsWith", "endsWith",
					"length", "isEmpty", "exists", "regex",
				}
				name := rapid.SampledFrom(names).Draw(t, "op")
				op := operators[name]
				args := make([]string, op.min)
				for i := range args {
					args[i] = value(depth-1).Draw(t, "arg")
				}
				return callText(name, args...)
			}
		})
	}
	return value(3)
}

// TestEvalIsTotal: whatever is accepted gives an answer, the same one each time
// and in its compiled form too.
func TestEvalIsTotal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := expressions().Draw(t, "when")
		e, err := Parse(text)
		if err != nil {
			return
		}
		tree, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(string(tree))
		if err != nil && !strings.Contains(err.Error(), "longer than") {
			t.Fatalf("the tree of %s is refused: %v", text, err)
		}
		got := e.Eval(roots)
		if err == nil && again.Eval(NewRoots(roots.Output, roots.Step, roots.Input)) != got {
			t.Fatalf("%s and its tree differ", text)
		}
		negated, err := Parse(callText("not", text))
		if err == nil && negated.Eval(roots) == got {
			t.Fatalf("not(%s) is the same as it", text)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		read("output.a"), callText("eq", read("output.big"), `9007199254740993`), callText("regex", read("output.text"), `"^a+$"`),
		callText("in", `1`, `[1,[2,{}]]`), `{"op":"and","args":[`, `[[[[`, `{"var":"output.a"}}`, `{"op":"length","args":[1e999999999]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		e.Eval(roots)
		e.Eval(Roots{Output: json.RawMessage(text), Step: json.RawMessage(text), Input: json.RawMessage(text)})
		if _, err := json.Marshal(e); err != nil {
			t.Fatal(err)
		}
	})
}
