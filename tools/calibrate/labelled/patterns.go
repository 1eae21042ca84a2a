package labelled

import "fmt"

// Practice is a habit of decision that is planted among noise: a pattern to be found.
type Practice struct {
	ID          string `json:"id"`
	ContentType string `json:"contentType"`
	// Decision is what most of the judgments say.
	Decision string `json:"decision"`
	// Practice says in one sentence what the habit is.
	Practice string `json:"practice"`
	// Judgments are 6 to 10, at least 75 % of them with the decision.
	Judgments []Judgment `json:"judgments"`
}

// Half is the half that the practice is in.
func (p *Practice) Half() Half { return HalfOf(p.ID) }

func loadPractices() ([]Practice, error) {
	practices, err := read[Practice]("patterns")
	if err != nil {
		return nil, err
	}
	for i := range practices {
		p := &practices[i]
		if p.ID == "" || p.ContentType == "" || p.Practice == "" {
			return nil, fmt.Errorf("practice %d: id, content type or sentence is missing", i)
		}
		if err := checkAll(p.Judgments); err != nil {
			return nil, fmt.Errorf("practice %s: %w", p.ID, err)
		}
	}
	return practices, nil
}

// loadNoise returns judgments of which no three are alike.
func loadNoise() ([]Judgment, error) {
	noise, err := read[Judgment]("patterns-noise")
	if err != nil {
		return nil, err
	}
	if err := checkAll(noise); err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	return noise, nil
}
