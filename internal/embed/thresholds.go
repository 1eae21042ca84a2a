package embed

// Thresholds say what similarities mean by a model. They are cosines of unit vectors,
// found on one half of labelled reviews; tools/calibrate prints how a model fares
// with its own, on that half and on the other. Floor, Strong, Wide and Cluster are of
// vectors WithoutCommon. 0 <= Floor < Strong <= 1, and Floor <= Wide.
type Thresholds struct {
	// Floor is from which similarity on two texts have anything to do with each other,
	// Strong from which on they are about the same.
	Floor, Strong float64
	// Wide is the floor among all content of a workspace. It is higher, since among very
	// many judgments something unrelated is near by chance.
	Wide float64
	// Cluster is up to which mean distance judgments are of one kind.
	Cluster float64
	// Answer is from which score on a sentence answers a question, Certain from which
	// similarity on it certainly is about that.
	Answer, Certain float64
}

// usual are the thresholds of a model that nobody has measured.
var usual = Thresholds{Floor: 0.30, Wide: 0.30, Strong: 0.65, Cluster: 0.45, Answer: 0.30, Certain: 0.65}

// measured are the thresholds of models by their names.
var measured = map[string]Thresholds{
	// The judgments of the tuning half that are labelled as being about a query have a median
	// similarity of 0.32 to it, those that are not of 0.06.
	localModel: {Floor: 0.16, Wide: 0.40, Strong: 0.30, Cluster: 0.84, Answer: 0.40, Certain: 0.40},
}

// Thresholds are those of the model's profile.
func (i Identity) Thresholds() Thresholds {
	if own, known := measured[i.Model]; known {
		return own
	}
	return usual
}
