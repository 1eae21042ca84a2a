package chunk

import "strings"

// repeatRatio is how many times the bytes of a text stand repeated in its chunks at
// most, as headings above and headers of tables. With the text itself, the
// overlaps and the first mention of each heading it stays below 7. Rules, which are
// taken from the text besides, stay below 9: together they have 16 times its bytes.
const repeatRatio = 4

// repeats is what may still be repeated, in bytes. Written text comes nowhere near
// the end of it. Behind that end a heading stands in the path of one chunk, and
// headers stand in theirs alone.
type repeats struct{ left int }

// take reports whether that much may be repeated, and takes it then.
func (r *repeats) take(bytes int) bool {
	if bytes > r.left {
		return false
	}
	r.left -= bytes
	return true
}

// titles are the headings of a chunk's path: those of its section, as many as fit,
// the nearest ones. The first chunk of a section has the section's own at least.
func (r *repeats) titles(s *section, first bool) []string {
	all := s.titles()
	bytes := len(strings.Join(all, Separator))
	own := all[max(0, len(all)-1):]
	if first && len(own) > 0 {
		bytes -= len(own[0])
	}
	switch {
	case r.take(bytes):
		return all
	case first:
		return own
	default:
		return nil
	}
}
