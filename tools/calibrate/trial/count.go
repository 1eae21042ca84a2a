package trial

// share counts how many of some things hold.
type share struct{ holding, of int }

func (s *share) note(holds bool) {
	s.of++
	if holds {
		s.holding++
	}
}

// value is 0 to 1, and without any things what is said.
func (s share) value(without float64) float64 {
	if s.of == 0 {
		return without
	}
	return float64(s.holding) / float64(s.of)
}

// detection compares what was found with what is.
type detection struct{ right, wrong, missed int }

func (d *detection) note(found, is bool) {
	switch {
	case found && is:
		d.right++
	case found:
		d.wrong++
	case is:
		d.missed++
	}
}

// f1 is the harmonic mean of precision and recall: 2 × right / (2 × right + wrong + missed);
// 0 where there is nothing.
func (d detection) f1() float64 {
	all := 2*d.right + d.wrong + d.missed
	if all == 0 {
		return 0
	}
	return float64(2*d.right) / float64(all)
}

// brier is the score of Brier (1950): the mean square of the difference between the
// confidence with which something was said and 1 where it was right, 0 where it was not.
type brier struct {
	sum float64
	of  int
}

func (b *brier) note(confidence float64, right bool) {
	if right {
		confidence = 1 - confidence
	}
	b.sum += confidence * confidence
	b.of++
}

// value is 0 where nothing was said.
func (b brier) value() float64 { return b.sum / float64(max(1, b.of)) }
