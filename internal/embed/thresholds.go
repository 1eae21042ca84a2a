package embed

// Thresholds say what similarities mean by a model; tools/calibrate prints how a model fares
// with its own on labelled sets.
//
// Where a cosine alone says little, since models differ in that of unrelated texts, likeness
// stands for it: 0 for texts that have nothing to do with each other, 1 for equal ones.
type Thresholds struct {
	// Unrelated is the cosine, below 1, at which the likeness of reviews and of what is to
	// be judged begins.
	Unrelated float64
	// Spread is by how much the likeness of unrelated ones differs: the nearest of n is
	// expected at Spread × √(2 ln n).
	Spread float64
	// Strong is the likeness from which on they are about the same.
	Strong float64
	// Cluster is up to which mean cosine distance judgments are of one kind.
	Cluster float64
	// Answer is from which score on a sentence answers a question, Certain from which
	// cosine on it certainly is about that.
	Answer, Certain float64
}

// usual are the thresholds of a model that nobody has measured.
var usual = Thresholds{Spread: 0.10, Strong: 0.65, Cluster: 0.45, Answer: 0.30, Certain: 0.65}

// measured are the thresholds of models by their names.
var measured = map[string]Thresholds{
	// The first four are of both models together, whose cosines of what is unrelated have a
	// standard deviation of 0.029.
	localModel: {Unrelated: 0.620, Spread: 0.084, Strong: 0.30, Cluster: 0.22, Answer: 0.40, Certain: 0.40},
}

// Thresholds are those of the model's profile.
func (i Identity) Thresholds() Thresholds {
	if own, known := measured[i.Model]; known {
		return own
	}
	return usual
}

// Likeness is what a cosine of reviews means, 0 to 1.
func (t Thresholds) Likeness(cosine float64) float64 {
	return min(1, max(0, (cosine-t.Unrelated)/(1-t.Unrelated)))
}

// Cosine is that of a likeness above 0.
func (t Thresholds) Cosine(likeness float64) float64 { return t.Unrelated + likeness*(1-t.Unrelated) }
