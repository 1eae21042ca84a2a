package predicate

import "hash/maphash"

// fewLooks is how many times a list is gone through. Whoever looks into it more often looks among the elements of one sum only.
const fewLooks = 8

// lookup finds values in one list: the edges of one source may look for thousands in one of as many elements.
type lookup struct {
	looks int
	bySum map[uint64][]any
}

// among reports whether the list that a node has led to contains the value of another one.
func (r *reader) among(of node, list any, wanted node, value any) bool {
	elements, is := list.([]any)
	v, read := of.(*variable)
	if !is || !read {
		return contains(list, value)
	}
	l := r.lookups[v.text]
	if l == nil {
		l = &lookup{}
		r.lookups[v.text] = l
	}
	if l.looks++; l.looks <= fewLooks {
		return contains(elements, value)
	}
	if l.bySum == nil {
		l.bySum = map[uint64][]any{}
		for _, e := range elements {
			s := sum(e)
			l.bySum[s] = append(l.bySum[s], e)
		}
	}
	return contains(l.bySum[r.sumOf(wanted, value)], value)
}

// sumOf is the sum of the value of a node. That of what a path leads to, which may be long, is made once.
func (r *reader) sumOf(of node, value any) uint64 {
	v, read := of.(*variable)
	if !read {
		return sum(value)
	}
	s, known := r.sums[v.text]
	if !known {
		s = sum(value)
		r.sums[v.text] = s
	}
	return s
}

// seed is another one in each process, so nobody can write values that have one sum.
var seed = maphash.MakeSeed()

// kind begins what a sum is made of.
type kind int

const (
	scalarKind kind = iota
	listKind
	objectKind
)

// sum is the same of equal values, and hardly ever that of two others.
func sum(value any) uint64 {
	switch v := value.(type) {
	case string:
		return maphash.String(seed, v)
	case bool:
		return maphash.Comparable(seed, v)
	case *number:
		exponent := ""
		if v.exponent != nil {
			exponent = v.exponent.Text(16)
		}
		return maphash.Comparable(seed, struct {
			sign             int
			digits, exponent string
		}{v.sign, v.digits, exponent})
	case []any:
		all := uint64(len(v))
		for _, e := range v {
			all = maphash.Comparable(seed, [2]uint64{all, sum(e)})
		}
		return ofKind(listKind, all)
	case map[string]any:
		var all uint64 // members are in no order
		for key, e := range v {
			all += maphash.Comparable(seed, [2]uint64{maphash.String(seed, key), sum(e)})
		}
		return ofKind(objectKind, all)
	default:
		return ofKind(scalarKind, 0)
	}
}

func ofKind(k kind, all uint64) uint64 {
	return maphash.Comparable(seed, struct {
		kind
		all uint64
	}{k, all})
}
