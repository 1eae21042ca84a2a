package knowledge

import (
	"fmt"
	"testing"

	"github.com/redline-svc/redline/tests/kit/linear"
)

func TestLong_RulesAreComparedInLinearTime(t *testing.T) {
	for name, shared := range map[string]int{"all others": 0, "half of them": 2, "all the same": 1} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				old, rules := make([]ruleRow, n), make([]StoredRule, n)
				for i := range n {
					old[i].Identity, rules[i].Identity = fmt.Appendf(nil, "%d", i), fmt.Appendf(nil, "%d", i)
					if shared == 0 || i%shared != 0 {
						rules[i].Identity = fmt.Appendf(nil, "new %d", i)
					}
				}
				return func() {
					for range 50 { // a source has 2,000 rules at most: more would measure the machine's caches
						compared(2, old, keepIDs(rules, idsOf(old)))
					}
				}
			})
		})
	}
}
