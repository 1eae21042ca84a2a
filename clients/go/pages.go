package redline

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
)

// pages is how a list pages: the field of the request that goes on, and where the result has its
// items, what goes on and, of an iterator, whether it is done; dotted.
type pages struct{ request, items, next, done string }

// walk iterates over all items of a list, page by page from the one that in names. After an
// error, which is yielded with a zero item, it ends.
func walk[T any](ctx context.Context, c *Client, o *operation, way pages, in any, options []CallOption) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		data, err := objectOf(in)
		for err == nil {
			var result json.RawMessage
			if result, err = c.send(ctx, o, data, options); err != nil {
				break
			}
			list, items := result, []T(nil)
			if result[0] == '{' { // some lists that fit into one page are no more than their items
				list = at(result, way.items)
			}
			if err = read(list, &items); err != nil {
				break
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			next, more := way.follow(result, len(items))
			if !more {
				return
			}
			data[way.request] = next
		}
		yield(none, err)
	}
}

// follow returns what the next page is asked by, and whether there is one.
func (p pages) follow(result json.RawMessage, items int) (json.RawMessage, bool) {
	next := at(result, p.next)
	switch {
	case len(next) == 0, string(next) == "null", string(next) == `""`:
		return nil, false
	case p.done != "":
		return next, string(at(result, p.done)) != "true"
	default:
		hasMore := at(result, "hasMore")
		return next, string(hasMore) != "false" && (items > 0 || len(hasMore) == 0 || string(hasMore) == "true")
	}
}

// at returns the value at a dotted path, nil where there is none.
func at(of json.RawMessage, path string) json.RawMessage {
	for name := range strings.SplitSeq(path, ".") {
		fields := object{}
		if json.Unmarshal(of, &fields) != nil {
			return nil
		}
		of = fields[name]
	}
	return of
}
