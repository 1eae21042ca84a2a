package trial

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/answer"
)

func TestAnswersByHand(t *testing.T) {
	records := []record{
		{answer.Record{Texts: []string{"Offers are kept for six years.", "Purchase."}}, "k1"},
		{answer.Record{Texts: []string{"Trips are booked by the desk."}}, "k2"},
	}
	said := func(citations ...answer.Citation) answer.Answer {
		return answer.Answer{Text: "said", Citations: citations}
	}
	var a answered
	a.note([]string{"k1"}, records, said(answer.Citation{Record: 1, Snippet: "Trips are booked by the desk."}, answer.Citation{Record: 0, Snippet: "Offers are kept"}))
	a.note([]string{"k1", "k3"}, records, said(answer.Citation{Record: 1, Snippet: "Trips are booked by nobody."}))
	a.note([]string{"k2"}, records, answer.Answer{})
	a.note(nil, records, answer.Answer{})
	a.note(nil, records, said(answer.Citation{Record: 1, Snippet: "desk"}))
	require.InDeltaSlice(t, []float64{3.0 / 4, 1.0 / 2, 2.0 / 3, 1.0 / 3}, a.figures(), 1e-12)
}
