package directory

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/linear"
)

func conditionOn(key, operator string, values ...string) Condition {
	c := Condition{Key: key, Operator: operator}
	for _, value := range values {
		c.Values = append(c.Values, json.RawMessage(value))
	}
	return c
}

func TestConditionsCompareExactly(t *testing.T) {
	t.Parallel()
	v := &DocumentView{Name: "Spring", Extra: []byte(`{"n": 10.0, "s": "\u0061", "b": true, "all": [1e1, "x", false, null, {"a": 1}], "big": 12345678901234567890.5}`)}
	for _, keeps := range []Condition{
		conditionOn("n", IsEqual, "1e1"), conditionOn("s", IsIn, `"b"`, `"a"`), conditionOn("b", IsNotEqual, "false"),
		conditionOn("all", ArrayContains, "10"), conditionOn("all", ArrayContainsAny, `"y"`, "false"), conditionOn(nameKey, IsEqual, `"Spring"`),
		conditionOn("big", IsGreater, "12345678901234567890.49"), conditionOn("n", IsNotIn, "11", `"10"`),
	} {
		require.True(t, testsOf([]Condition{keeps}).match(v), "%+v", keeps)
	}
	for _, keepsNot := range []Condition{
		conditionOn("n", IsNotEqual, "100e-1"), conditionOn("n", IsNotEqual, `"10"`), conditionOn("missing", IsNotIn, "1"),
		conditionOn("all", ArrayContains, `"10"`), conditionOn("n", ArrayContains, "10"), conditionOn("big", IsEqual, "12345678901234567890.49"),
	} {
		require.False(t, testsOf([]Condition{keepsNot}).match(v), "%+v", keepsNot)
	}
}

// A document with a long array is compared with 30 values as quickly as with one.
func TestLong_ConditionsAreCheckedInLinearTime(t *testing.T) {
	values := make([]string, 30)
	for i := range values {
		values[i] = fmt.Sprintf(`"%d"`, i)
	}
	conditions := testsOf([]Condition{conditionOn("all", ArrayContainsAny, values...)})
	linear.Require(t, func(n int) func() {
		v := &DocumentView{Extra: []byte(`{"all": ["a"` + strings.Repeat(`,"b"`, n) + `]}`)}
		return func() { conditions.match(v) }
	})
}
