package delivery

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestAWorkspaceAloneHasFourFifths(t *testing.T) {
	t.Parallel()
	s := newSlots(10)
	assert.Equal(t, 8, s.take("a", 100))
	assert.Zero(t, s.take("a", 1))
	assert.Equal(t, 1, s.take("b", 5), "who comes finds some")
	assert.Equal(t, 1, s.take("c", 5))
	assert.Zero(t, s.take("d", 5))
	s.queue("d")
	freed := s.signal()
	s.give("a", 2)
	<-freed
	assert.Zero(t, s.take("a", 1), "it has more than half and another one waits")
	assert.Equal(t, 1, s.take("d", 5))
	s.leave("d")
	s.give("a", 6)
	assert.Equal(t, 5, s.take("a", 9), "nobody waits any more")
}

func TestHoweverManyHangANewcomerFindsSlots(t *testing.T) {
	t.Parallel()
	s := newSlots(500)
	for range 100 { // each takes what it can get
		for _, workspace := range []string{"a", "b", "c"} {
			s.take(workspace, 100)
		}
	}
	assert.GreaterOrEqual(t, s.take("new", 100), 20)
}

func TestAWorkspaceThatWaitsAloneIsNotLimited(t *testing.T) {
	t.Parallel()
	s := newSlots(5)
	s.queue("a")
	s.queue("a")
	assert.Equal(t, 4, s.take("a", 9))
	s.leave("a")
	s.give("a", 4)
	assert.Equal(t, 4, s.take("a", 9))
	s.leave("a")
	assert.Empty(t, s.waiting)
}

func TestOneSlotGoesRoundAmongThoseWhoWait(t *testing.T) {
	t.Parallel()
	s := newSlots(1)
	s.queue("a")
	s.queue("b")
	assert.Equal(t, 1, s.take("a", 5), "half of one is one, or nobody would ever get it")
	assert.Zero(t, s.take("b", 5))
	s.give("a", 1)
	assert.Equal(t, 1, s.take("b", 5))
}

// However slots are taken and given back, there are never more than all, and
// while others wait nobody gets beyond half.
func TestSlotsProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 20).Draw(t, "total")
		s := newSlots(total)
		held, queued := map[string]int{}, map[string]int{}
		workspaces := []string{"a", "b", "c"}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			ws := rapid.SampledFrom(workspaces).Draw(t, "workspace")
			switch rapid.IntRange(0, 3).Draw(t, "do") {
			case 0:
				got := s.take(ws, rapid.IntRange(0, 10).Draw(t, "want"))
				held[ws] += got
				if got > 0 && othersIn(queued, ws) {
					assert.LessOrEqual(t, held[ws], max(1, total/2))
				}
			case 1:
				n := rapid.IntRange(0, held[ws]).Draw(t, "n")
				s.give(ws, n)
				held[ws] -= n
			case 2:
				s.queue(ws)
				queued[ws]++
			case 3:
				if queued[ws] > 0 {
					s.leave(ws)
					queued[ws]--
				}
			}
			assert.LessOrEqual(t, held["a"]+held["b"]+held["c"], total)
			assert.Equal(t, held["a"]+held["b"]+held["c"], s.sum)
		}
	})
}

func othersIn(queued map[string]int, self string) bool {
	for ws, n := range queued {
		if ws != self && n > 0 {
			return true
		}
	}
	return false
}
