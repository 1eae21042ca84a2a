package labelled

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed sets/*.json sets/retrieval/*.md
var files embed.FS

// Sets are the labelled sets.
type Sets struct {
	Situations []Situation
	// Reviews are further sets of situations, by other hands.
	Reviews   []Reviews
	Planted   Planted
	Practices []Practice
	// Noise are judgments among which the practices are to be found; each has an id, by
	// which it is in a half.
	Noise []Judgment
	Ask   Ask
	// Retrieval is what searches are measured by.
	Retrieval Retrieval
}

// Load reads the sets and checks each item by itself.
func Load() (*Sets, error) {
	situations, err := loadSituations()
	if err != nil {
		return nil, err
	}
	practices, err := loadPractices()
	if err != nil {
		return nil, err
	}
	noise, err := loadNoise()
	if err != nil {
		return nil, err
	}
	ask, err := loadAsk()
	if err != nil {
		return nil, err
	}
	reviews, err := loadReviews()
	if err != nil {
		return nil, err
	}
	planted, err := readOne[Planted]("patterns-a")
	if err != nil {
		return nil, err
	}
	retrieval, err := loadRetrieval()
	if err != nil {
		return nil, err
	}
	return &Sets{Situations: situations, Reviews: reviews, Planted: planted, Practices: practices, Noise: noise, Ask: ask, Retrieval: retrieval}, nil
}

// read returns the items of a file; a field that is not known is an error.
func read[T any](name string) ([]T, error) { return readOne[[]T](name) }

// readOne returns what a file holds, likewise.
func readOne[T any](name string) (held T, err error) {
	text, err := files.ReadFile("sets/" + name + ".json")
	if err != nil {
		return held, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&held); err != nil {
		return held, fmt.Errorf("%s: %w", name, err)
	}
	return held, nil
}

func checkAll(judgments []Judgment) error {
	for i := range judgments {
		if err := judgments[i].check(); err != nil {
			return fmt.Errorf("judgment %d: %w", i, err)
		}
	}
	return nil
}
