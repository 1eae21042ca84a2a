package predicate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/predicate"
	"github.com/redline-svc/redline/tests/kit/linear"
)

// long are inputs that grow with n, each with an expression that looks at all of it.
var long = map[string]struct {
	when  string
	input func(n int) string
}{
	"equal lists": {
		`{"op":"eq","args":[{"var":"execution.input.a"},{"var":"execution.input.b"}]}`,
		func(n int) string { return fmt.Sprintf(`{"a":[%[1]s0],"b":[%[1]s1]}`, strings.Repeat("1.0,", n)) },
	},
	"equal objects": {
		`{"op":"eq","args":[{"var":"execution.input.a"},{"var":"execution.input.b"}]}`,
		func(n int) string { return fmt.Sprintf(`{"a":{%[1]s"z":0},"b":{%[1]s"z":1}}`, keys(n)) },
	},
	"a number among many": {
		`{"op":"in","args":[{"var":"execution.input.a"},{"var":"execution.input.b"}]}`,
		func(n int) string { return fmt.Sprintf(`{"a":1,"b":[%s2]}`, strings.Repeat("1.1,", n)) },
	},
	"a long number among many": {
		`{"op":"in","args":[{"var":"execution.input.a"},{"var":"execution.input.b"}]}`,
		func(n int) string {
			return fmt.Sprintf(`{"a":1%s,"b":[%s2]}`, strings.Repeat("0", n), strings.Repeat("1.1,", n))
		},
	},
	"a long list among many": {
		`{"op":"includes","args":[{"var":"execution.input.b"},{"var":"execution.input.a"}]}`,
		func(n int) string {
			return fmt.Sprintf(`{"a":[%s2],"b":[%s2]}`, strings.Repeat("1,", n), strings.Repeat("[1],", n))
		},
	},
	"long numbers": {
		`{"op":"lt","args":[{"var":"execution.input.a"},{"var":"execution.input.b"}]}`,
		func(n int) string { return fmt.Sprintf(`{"a":1%[1]s,"b":1%[1]s}`, strings.Repeat("0", n)) },
	},
	"long exponents": {
		`{"op":"lt","args":[{"var":"execution.input.a"},{"var":"execution.input.b"}]}`,
		func(n int) string { return fmt.Sprintf(`{"a":1e1%[1]s,"b":1e2%[1]s}`, strings.Repeat("7", n)) },
	},
	"a text in a text": {
		`{"op":"includes","args":[{"var":"execution.input.a"},{"var":"execution.input.b"}]}`,
		func(n int) string {
			return fmt.Sprintf(`{"a":%q,"b":%q}`, strings.Repeat("a", 2*n)+"b", strings.Repeat("a", n)+"bb")
		},
	},
	"the length of a text": {
		`{"op":"gt","args":[{"op":"length","args":[{"var":"execution.input"}]},9]}`,
		func(n int) string { return `"` + strings.Repeat(`\ud83d\ude00`, n) + `"` },
	},
	"nested lists": {
		`{"op":"eq","args":[{"var":"execution.input.a"},{"var":"execution.input.a"}]}`,
		func(n int) string {
			return `{"a":` + strings.Repeat("[", min(n, 9999)) + strings.Repeat("]", min(n, 9999)) + strings.Repeat(" ", n) + `}`
		},
	},
}

func keys(n int) string {
	var members strings.Builder
	for i := range n {
		fmt.Fprintf(&members, `"k%d":%d,`, i, i)
	}
	return members.String()
}

func TestLong_ExpressionsAreEvaluatedInLinearTime(t *testing.T) {
	for name, of := range long {
		t.Run(name, func(t *testing.T) {
			when, err := predicate.Parse(of.when)
			require.NoError(t, err)
			linear.Require(t, func(n int) func() {
				input := json.RawMessage(of.input(n))
				return func() { when.Eval(predicate.NewRoots(nil, nil, input)) }
			})
		})
	}
}
