package shape

// Members is what an object's text says about one of its names.
type Members struct {
	// IsObject is false when the text is another kind of value.
	IsObject bool
	// Value is the text of the named member, nil when it is absent.
	Value []byte
	// Twice says that the name is there more than once.
	Twice bool
	// Others are the names beside it.
	Others []string
	// Unstorable says that one of the others, or its value, has a NUL or half a
	// surrogate pair.
	Unstorable bool
}

// Member looks for one name in raw, a value that Check has accepted. Of the rest it
// only finds what no row can hold.
func Member(raw []byte, name string) Members {
	s := scanner{buf: raw}
	if s.peek() != '{' {
		return Members{}
	}
	s.pos++
	found := Members{IsObject: true}
	for first := true; s.more(first); first = false {
		s.peek()
		key, storable := s.checkedKey()
		s.peek()
		value := s.skip()
		switch {
		case string(key) != name:
			found.Others = append(found.Others, string(key))
			found.Unstorable = found.Unstorable || !storable || !Storable(value)
		case found.Value != nil:
			found.Twice = true
		default:
			found.Value = value
		}
	}
	return found
}
