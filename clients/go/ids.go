package redline

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
)

// object is a JSON object, its values as they are written.
type object = map[string]json.RawMessage

// idField is where an id stands in the data of a call, dotted through its arrays.
type idField struct {
	path string
	// integer means a whole number below 2^53, else a text.
	integer bool
}

func objectOf(in any) (object, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	data := object{}
	if err := json.Unmarshal(text, &data); err != nil {
		return nil, fmt.Errorf("redline: the data of a call is an object: %w", err)
	}
	return data, nil
}

// prepare writes the nulls and makes the ids that are missing, and finds out whether the call may
// be repeated.
func (s *sent) prepare() error {
	for _, field := range s.nulls {
		if err := setNull(s.data, strings.Split(field, ".")); err != nil {
			return fmt.Errorf("redline: null for %s: %w", field, err)
		}
	}
	s.repeatable, s.made = s.operation.safe, len(s.operation.ids) > 0
	found := 0
	for _, id := range s.operation.ids {
		err := eachHolder(s.data, strings.Split(id.path, "."), func(holder object, field string) {
			found++
			if value, given := holder[field]; given && string(value) != "null" {
				s.made = false
				return
			}
			holder[field] = newID(id.integer)
		})
		if err != nil {
			return fmt.Errorf("redline: %s: %w", id.path, err)
		}
	}
	s.made = s.made && found > 0
	s.repeatable = s.repeatable || found > 0
	return nil
}

func setNull(of object, path []string) error {
	if len(path) == 1 {
		of[path[0]] = json.RawMessage("null")
		return nil
	}
	inner := object{}
	if text, given := of[path[0]]; given {
		if err := json.Unmarshal(text, &inner); err != nil {
			return err
		}
	}
	if err := setNull(inner, path[1:]); err != nil {
		return err
	}
	text, err := json.Marshal(inner)
	of[path[0]] = text
	return err
}

// eachHolder visits every object that holds the last field of a path, through objects and
// arrays, and writes what visit changed. What is not sent holds nothing.
func eachHolder(of object, path []string, visit func(holder object, field string)) error {
	if len(path) == 1 {
		visit(of, path[0])
		return nil
	}
	text, given := of[path[0]]
	if !given || string(text) == "null" {
		return nil
	}
	var many []object
	if err := json.Unmarshal(text, &many); err != nil {
		var one object
		if json.Unmarshal(text, &one) != nil {
			return errors.New("neither an object nor a list of them")
		}
		many = []object{one}
	}
	for _, inner := range many {
		if err := eachHolder(inner, path[1:], visit); err != nil {
			return err
		}
	}
	var written any = many
	if text[0] != '[' {
		written = many[0]
	}
	changed, err := json.Marshal(written)
	of[path[0]] = changed
	return err
}

// newID is an id that nobody else makes: 128 random bits as a text, 52 as a number.
func newID(integer bool) json.RawMessage {
	if integer {
		return fmt.Append(nil, 1+mathrand.Int64N(1<<52))
	}
	return fmt.Appendf(nil, "%q", rand.Text())
}
