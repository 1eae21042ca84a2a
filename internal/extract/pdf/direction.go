package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// Lines with letters from right to left. PDFium puts their characters into an order of
// its own, in which numbers of several parts are torn and some brackets turned. Where each
// letter stands says how the line looks, and from that the order in which it was written
// is found: what is read from the left (words of other scripts, numbers) keeps its order,
// the rest is turned around. What belongs to a number says the bidirectional algorithm of
// Unicode (UAX #9).

// cluster is a letter with the marks that are combined with it, or the letters of a
// ligature.
type cluster []letter

// class is the bidirectional class of a character.
func class(r rune) bidi.Class {
	properties, _ := bidi.LookupRune(r)
	return properties.Class()
}

func isRight(r rune) bool { c := class(r); return c == bidi.R || c == bidi.AL }

// rightToLeft reports whether a row has a letter that is read from the right.
func rightToLeft(row []letter) bool {
	return slices.ContainsFunc(row, func(l letter) bool { return l.char > unicode.MaxLatin1 && isRight(l.char) })
}

// mostlyRight reports whether most letters of a row are read from the right.
func mostlyRight(row []letter) bool {
	right := 0
	for _, l := range row {
		switch c := class(l.char); c {
		case bidi.R, bidi.AL:
			right++
		case bidi.L:
			right--
		}
	}
	return right >= 0
}

// look reads how a line with letters from right to left looks. Its text is found once all
// of the page is read.
func (r reader) look(l *line, row []letter) error {
	seen := visible(row)
	row = row[seen[0] : seen[len(seen)-1]+1]
	l.fromRight = mostlyRight(row)
	unmirror(row, l.fromRight)
	for i := range row {
		var err error
		if row[i].x, _, err = r.origin(row[i].index); err != nil {
			return err
		}
	}
	unfold(row)
	l.shown = shown(row)
	left, right := ends(l.shown)
	l.fromRight = l.fromRight || left && right
	l.x = l.shown[0][0].x
	var err error
	l.end, err = r.right(l.shown[len(l.shown)-1][0].index)
	return err
}

// ends reports whether the first letter of a line from the left is one that is read from the
// right, and whether the last one is. A line that begins with its first letter where both are
// can only begin at the right.
func ends(shown []cluster) (left, right bool) {
	begun := false
	for _, c := range shown {
		letter := isRight(c[0].char)
		if !letter && class(c[0].char) != bidi.L {
			continue
		}
		if right = letter; !begun {
			left, begun = letter, true
		}
	}
	return left, right
}

// unmirror takes back what PDFium did to brackets and other signs that look the other way
// from right to left: it turns those that follow a letter from right to left.
func unmirror(row []letter, right bool) {
	for i, l := range row {
		switch c := class(l.char); {
		case c == bidi.R || c == bidi.AL:
			right = true
		case c == bidi.L:
			right = false
		case right:
			row[i].char = mirrored(l.char)
		}
	}
}

// signs are mirrored and no brackets.
var signs = map[rune]rune{'<': '>', '>': '<', '«': '»', '»': '«', '‹': '›', '›': '‹', '≤': '≥', '≥': '≤'}

// mirrored is what a sign looks like from the other side.
func mirrored(r rune) rune {
	if other, ok := signs[r]; ok {
		return other
	}
	if properties, _ := bidi.LookupRune(r); !properties.IsBracket() {
		return r
	}
	return []rune(bidi.ReverseString(string(r)))[0]
}

// shown are the letters of a row from left to right.
func shown(row []letter) []cluster {
	var all []cluster
	for i, l := range row {
		if i > 0 && (unicode.Is(unicode.M, l.char) || l.x == row[i-1].x && arabicLetter(l.char) && arabicLetter(row[i-1].char)) {
			all[len(all)-1] = append(all[len(all)-1], l)
			continue
		}
		all = append(all, cluster{l})
	}
	slices.SortStableFunc(all, func(a, b cluster) int {
		return cmp.Or(cmp.Compare(a[0].x, b[0].x), cmp.Compare(wide(a), wide(b)))
	})
	return all
}

// wide sorts a space behind the letter that it stands at: PDFium makes spaces where the
// letter before begins, if it does not know how wide that is.
func wide(c cluster) int {
	if unicode.IsSpace(c[0].char) {
		return 1
	}
	return 0
}

// logical gives lines with letters from right to left their text. Where most lines of a
// page are such, all lines of it begin at the right, and those that have such a letter there
// are read from it, however many others they have. Whether the file has brackets as
// they look or as they are meant says which way more of them make pairs.
func logical(lines []line) []line {
	looks, meant, right := 0, 0, 0
	for _, l := range lines {
		if !l.fromRight {
			right--
			continue
		}
		right++
		looks += pairs(l.shown, mirrored)
		meant += pairs(l.shown, func(r rune) rune { return r })
	}
	for i := range lines {
		l := &lines[i]
		if l.shown != nil {
			_, atRight := ends(l.shown)
			l.fromRight = l.fromRight || right > 0 && atRight
			l.text = meantBy(l.shown, l.fromRight, looks >= meant)
			l.shown = nil
		}
		if right > 0 {
			l.x, l.end = -l.end, -l.x
		}
	}
	return lines
}

// pairs counts brackets that make a pair, read from the right.
func pairs(shown []cluster, as func(rune) rune) (count int) {
	var open []rune
	for _, c := range slices.Backward(shown) {
		properties, _ := bidi.LookupRune(as(c[0].char))
		switch {
		case properties.IsOpeningBracket():
			open = append(open, as(c[0].char))
		case properties.IsBracket() && len(open) > 0 && mirrored(open[len(open)-1]) == as(c[0].char):
			open = open[:len(open)-1]
			count++
		}
	}
	return count
}

// meantBy is the text of a line that looks so. In one that is read from the left, only what
// stands between two letters from right to left is turned around.
func meantBy(shown []cluster, fromRight, mirror bool) string {
	var text strings.Builder
	for _, s := range segments(shown, fromRight) {
		if s.right {
			s.clusters = turnedAround(s.clusters, mirror)
		}
		for _, c := range s.clusters {
			text.WriteString(spelled(c))
		}
	}
	return text.String()
}

// segment is a part of a line that is read in one direction.
type segment struct {
	clusters []cluster
	right    bool
}

// segments are those of a line that is read from the left: from a letter from right to
// left to the last such one before another letter.
func segments(shown []cluster, fromRight bool) []segment {
	if fromRight {
		return []segment{{shown, true}}
	}
	var parts []segment
	begin := 0
	for at := 0; at < len(shown); at++ {
		if !isRight(shown[at][0].char) {
			continue
		}
		end := at + 1
		for i := at; i < len(shown) && class(shown[i][0].char) != bidi.L; i++ {
			if isRight(shown[i][0].char) {
				end = i + 1
			}
		}
		parts = append(parts, segment{shown[begin:at], false}, segment{shown[at:end], true})
		begin, at = end, end-1
	}
	return append(parts, segment{shown[begin:], false})
}

// anyLeft stands for what is read from the left in the text that the algorithm is asked
// about.
const anyLeft = 'a'

// turnedAround returns what is read from the right in the order in which it is written.
func turnedAround(shown []cluster, mirror bool) []cluster {
	parts := embedded(shown)
	slices.Reverse(parts)
	asked := make([]rune, len(parts))
	for i, p := range parts {
		if asked[i] = p.clusters[0][0].char; !p.right {
			asked[i] = anyLeft
		} else if mirror {
			asked[i] = mirrored(asked[i])
		}
		if class(asked[i]) == bidi.B {
			asked[i] = ' '
		}
	}
	var paragraph bidi.Paragraph
	_, err := paragraph.SetString(string(asked), bidi.DefaultDirection(bidi.RightToLeft))
	order, failed := paragraph.Order()
	if err != nil || failed != nil {
		return shown
	}
	return ordered(parts, asked, &order)
}

// ordered returns the clusters of parts by the runs that the algorithm found.
func ordered(parts []segment, asked []rune, order *bidi.Ordering) []cluster {
	var all []cluster
	for i := range order.NumRuns() {
		run := order.Run(i)
		first, last := run.Pos()
		within := parts[first : last+1]
		if run.Direction() == bidi.LeftToRight {
			slices.Reverse(within)
		}
		for j, p := range within {
			if p.right && run.Direction() == bidi.RightToLeft {
				p.clusters[0][0].char = asked[first+j]
			}
			all = append(all, p.clusters...)
		}
	}
	return all
}

// embedded parts a line that is read from the right: each part is one cluster, or as one
// all of what is read from the left.
func embedded(shown []cluster) []segment {
	var parts []segment
	for at := 0; at < len(shown); {
		end, next := leftEnd(shown, at)
		if end > at {
			parts = append(parts, segment{shown[at:end], false})
		}
		for at = end; at < next; at++ {
			parts = append(parts, segment{shown[at : at+1], true})
		}
	}
	return parts
}

// leftEnd is where what is read from the left ends that begins at a letter or digit, and
// from where on more may begin. It ends with the last of them before a letter from right
// to left. Digits alone are none of it: the algorithm knows them.
func leftEnd(shown []cluster, at int) (end, next int) {
	if !fromLeft(class(shown[at][0].char)) {
		return at, at + 1
	}
	end, letters := at, false
	depth, kept := 0, 0
	for next = at; next < len(shown); next++ {
		properties, _ := bidi.LookupRune(shown[next][0].char)
		c := properties.Class()
		if turns(c) || c == bidi.EN && strays(shown, at, next) {
			break
		}
		switch {
		case fromLeft(c):
			letters = letters || c == bidi.L
			end, kept = next+1, depth
		case properties.IsOpeningBracket():
			depth++
		case properties.IsBracket():
			if depth--; end == next && kept > 0 {
				end, kept = next+1, kept-1 // it closes what was opened within
			}
		}
	}
	if !letters {
		return at, next
	}
	return end, next
}

// fromLeft reports whether a character is a letter or digit that is read from the left.
func fromLeft(c bidi.Class) bool { return c == bidi.L || c == bidi.EN }

// turns reports whether a character is read from the right.
func turns(c bidi.Class) bool { return c == bidi.R || c == bidi.AL }

// strays reports whether the number at i, behind what begins at a place, begins a line
// that is read from the right, as that of an item does, Word .1 for instance.
func strays(shown []cluster, at, i int) bool {
	if i < at+2 {
		return false
	}
	mark, space := shown[i-1][0].char, shown[i-2][0].char
	return strings.ContainsRune(".,:;!?)", mark) && unicode.IsSpace(space)
}
