package embed

// Thresholds say what similarities mean by a model. They are cosines of unit vectors,
// found on labelled reviews (`redline admin calibrate` prints how a model fares).
type Thresholds struct {
	// Floor is from which similarity on two texts have anything to do with each other,
	// Strong from which on they are about the same.
	Floor, Strong float64
	// Cluster is up to which mean distance judgments are of one kind.
	Cluster float64
}

// usual are the thresholds of a model that nobody has measured.
var usual = Thresholds{Floor: 0.30, Strong: 0.65, Cluster: 0.45}

// Thresholds are those of the model's profile.
func (Identity) Thresholds() Thresholds { return usual }
