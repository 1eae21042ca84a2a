package rules_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// labelled is a sentence or an item of testdata/labelled.txt.
type labelled struct {
	text       string
	rule, hard bool
	proof      bool
}

// readLabelled reads the file by the rules at its top.
func readLabelled(t *testing.T) (all []labelled) {
	text, err := os.ReadFile("testdata/labelled.txt")
	require.NoError(t, err)
	proof := false
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		if origin, ok := strings.CutPrefix(line, "## "); ok {
			hash := fnv.New32a()
			_, _ = hash.Write([]byte(origin))
			proof = hash.Sum32()&1 == 1
		}
		mark, text, _ := strings.Cut(line, " ")
		if mark != "" && strings.Trim(mark[:1], "+-") == "" {
			all = append(all, labelled{text: text, rule: mark[0] == '+', hard: strings.HasSuffix(mark, "!"), proof: proof})
		}
	}
	return all
}

// found reports whether the extractor takes it for a rule, as it would stand in a
// text: an item in a list below its lead-in.
func (l labelled) found() bool {
	lead, item, ok := strings.Cut(l.text, " >> ")
	if !ok {
		return len(contents(l.text)) > 0
	}
	for _, content := range contents(lead + "\n\n- " + item) {
		if strings.HasSuffix(content, item) {
			return true
		}
	}
	return false
}

// score counts what was found rightly, wrongly and not at all.
type score struct{ right, wrong, missed int }

func (s *score) add(l labelled, found bool) {
	switch {
	case found && l.rule:
		s.right++
	case found:
		s.wrong++
	case l.rule:
		s.missed++
	}
}

func (s score) precision() float64 { return float64(s.right) / float64(s.right+s.wrong) }

func (s score) recall() float64 { return float64(s.right) / float64(s.right+s.missed) }

func (s score) String() string {
	return fmt.Sprintf("precision %.3f, recall %.3f (%d right, %d wrong, %d missed)", s.precision(), s.recall(), s.right, s.wrong, s.missed)
}

func TestPrecisionAndRecallOnRealTexts(t *testing.T) {
	for _, proof := range []bool{false, true} {
		t.Run(map[bool]string{false: "tuning", true: "proof"}[proof], func(t *testing.T) {
			var all, hard score
			for _, l := range readLabelled(t) {
				if l.proof != proof {
					continue
				}
				found := l.found()
				if found != l.rule && !proof {
					t.Logf("found %v, is %v: %s", found, l.rule, l.text)
				}
				all.add(l, found)
				if l.hard {
					hard.add(l, found)
				}
			}
			t.Logf("all:  %v", all)
			t.Logf("hard: %v", hard)
			require.GreaterOrEqual(t, min(all.precision(), all.recall()), 0.95)
			require.GreaterOrEqual(t, min(hard.precision(), hard.recall()), 0.85)
		})
	}
}
