package contract

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Place is where a caller's own text may stand in a request: keys joined by dots, without the
// positions of lists. Open is one for any JSON.
type Place struct {
	Path string
	Open bool
}

// Key is the last key of the path.
func (p Place) Key() string { return p.Path[strings.LastIndexByte(p.Path, '.')+1:] }

// Places returns those of every operation, by its path.
func (d *Document) Places() map[string][]Place {
	all := map[string][]Place{}
	for path, o := range d.operations {
		found := map[Place]bool{}
		places(o.request, "", found)
		for place := range found {
			all[path] = append(all[path], place)
		}
	}
	return all
}

// places adds those of a schema that stands at a path.
func places(s *jsonschema.Schema, path string, found map[Place]bool) {
	if s.Ref != nil {
		places(s.Ref, path, found)
		return
	}
	for _, one := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		places(one, path, found)
	}
	if s.Enum != nil || s.Const != nil {
		return
	}
	for key, property := range s.Properties {
		places(property, strings.TrimPrefix(path+"."+key, "."), found)
	}
	if s.Items2020 != nil {
		places(s.Items2020, path, found)
	}
	if open := free(s); open || s.Types != nil && slices.Contains(s.Types.ToStrings(), "string") {
		found[Place{path, open}] = true
	}
}

// free reports whether any JSON, or any object, fits a schema.
func free(s *jsonschema.Schema) bool {
	if s.Types == nil {
		return len(s.AllOf)+len(s.AnyOf)+len(s.OneOf)+len(s.Properties) == 0
	}
	return len(s.Properties) == 0 && slices.Contains(s.Types.ToStrings(), "object")
}

// Followed is where a mark stood in requests that the service took.
type Followed struct {
	mark string
	mu   sync.Mutex
	at   map[string]map[string]bool
}

// Follow notes from now on where the mark stands in requests.
func (d *Document) Follow(mark string) *Followed {
	f := &Followed{mark: mark, at: map[string]map[string]bool{}}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.followed = append(d.followed, f)
	return f
}

// took notes a request that the service took.
func (d *Document) took(operation string, sent []byte) {
	d.mu.Lock()
	followed := slices.Clone(d.followed)
	d.mu.Unlock()
	for _, f := range followed {
		var body any
		if strings.Contains(string(sent), f.mark) && json.Unmarshal(sent, &body) == nil {
			f.note(operation, "", body)
		}
	}
}

func (f *Followed) note(operation, path string, value any) {
	switch held := value.(type) {
	case map[string]any:
		for key, each := range held {
			f.note(operation, strings.TrimPrefix(path+"."+key, "."), each)
		}
	case []any:
		for _, each := range held {
			f.note(operation, path, each)
		}
	case string:
		if strings.Contains(held, f.mark) {
			f.add(operation, path)
		}
	}
}

func (f *Followed) add(operation, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at[operation] == nil {
		f.at[operation] = map[string]bool{}
	}
	f.at[operation][path] = true
}

// Stood reports whether the mark stood at the place of an operation; in any JSON, at any depth.
func (f *Followed) Stood(operation string, place Place) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !place.Open {
		return f.at[operation][place.Path]
	}
	for path := range f.at[operation] {
		if place.Path == "" || path == place.Path || strings.HasPrefix(path, place.Path+".") {
			return true
		}
	}
	return false
}
