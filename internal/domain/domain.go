package domain

import (
	"errors"
	"iter"
	"strings"

	"golang.org/x/net/idna"
)

// ErrInvalid is a name that is not a domain.
var ErrInvalid = errors.New("it is not a valid domain name")

// profile maps like a browser does before a look-up and then checks labels,
// direction and lengths. Hyphens in the third and fourth position are left alone:
// machines of real networks have them.
var profile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.CheckHyphens(false),
	idna.BidiRule(),
	idna.VerifyDNSLength(true),
)

// ASCII returns the lower-case A-label form of a domain of at least two labels,
// the last one not a number. A trailing dot is refused.
func ASCII(name string) (string, error) {
	ascii, err := profile.ToASCII(name)
	if err != nil || !wellFormed(ascii) {
		return "", ErrInvalid
	}
	return ascii, nil
}

// wellFormed checks what the profile leaves open.
func wellFormed(ascii string) bool {
	labels := strings.Split(ascii, ".")
	for _, label := range labels {
		if label == "" || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return len(labels) > 1 && !numeric(labels[len(labels)-1])
}

// numeric finds a label that could be read as a number in an address of four
// bytes, decimal or hexadecimal; no top-level domain is one.
func numeric(label string) bool {
	digits := "0123456789"
	if rest, hex := strings.CutPrefix(label, "0x"); hex {
		label, digits = rest, "0123456789abcdef"
	}
	return strings.Trim(label, digits) == ""
}

// Parents returns the name itself, then the name without its first label, and so
// on up to the last label.
func Parents(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for found := true; found; _, name, found = strings.Cut(name, ".") {
			if !yield(name) {
				return
			}
		}
	}
}
