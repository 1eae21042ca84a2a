package email

import (
	"cmp"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/redline-svc/redline/internal/domain"
)

// Lengths in bytes, of RFC 5321 4.5.3.1 and its erratum 1690.
const (
	MaxBytes      = 254
	MaxLocalBytes = 64
)

// Why Parse refuses.
var (
	ErrLength = errors.New("it is longer than 254 bytes")
	ErrFormat = errors.New("it is not an e-mail address of the form local@domain")
	ErrLocal  = errors.New("what stands before the @ is not 1 to 64 bytes of dot-separated atoms")
	ErrDomain = errors.New("what stands behind the @ is not a domain")
)

// atomPunctuation are the ASCII signs that an atom may have besides letters and
// digits (RFC 5322 3.2.3).
const atomPunctuation = "!#$%&'*+-/=?^_`{|}~"

// Address is a valid e-mail address.
type Address struct {
	// Raw is the address as it was sent.
	Raw string
	// Local is what stands before the @, in NFC.
	Local string
	// Domain is what stands behind it, as lower-case A-label.
	Domain string
}

// Parse reads an address: exactly one @, a local part of dot-separated atoms
// (UTF-8 allowed, no quoted form), a domain of at least two labels, no space
// around it.
func Parse(raw string) (Address, error) {
	if len(raw) > MaxBytes {
		return Address{}, ErrLength
	}
	local, host, found := strings.Cut(raw, "@")
	if !found || strings.Contains(host, "@") || strings.TrimSpace(raw) != raw {
		return Address{}, ErrFormat
	}
	if !validLocal(local) {
		return Address{}, ErrLocal
	}
	ascii, err := domain.ASCII(host)
	if err != nil {
		return Address{}, ErrDomain
	}
	return Address{Raw: raw, Local: norm.NFC.String(local), Domain: ascii}, nil
}

func validLocal(local string) bool {
	if local == "" || len(local) > MaxLocalBytes || !utf8.ValidString(local) {
		return false
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || strings.ContainsFunc(atom, notAtomText) {
			return false
		}
	}
	return true
}

// notAtomText: beyond ASCII everything that can be seen belongs to an atom
// (RFC 6531 3.3); signs that cannot be seen would make look-alikes.
func notAtomText(r rune) bool {
	if r >= utf8.RuneSelf {
		return !unicode.IsPrint(r)
	}
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !letter && !strings.ContainsRune(atomPunctuation, r)
}

// Key is what ownership compares.
func (a Address) Key() string { return Fold(a.Local) + "@" + a.Domain }

// Mailbox is what mails to an address are counted by: many hosts pass on to one mailbox whatever stands behind a plus sign.
func (a Address) Mailbox() string {
	local, _, _ := strings.Cut(a.Local, "+")
	return Fold(cmp.Or(local, a.Local)) + "@" + a.Domain
}

// Capitalised is the local part with its first code point title-cased and the
// rest untouched; default names of API keys begin with it.
func (a Address) Capitalised() string {
	first, size := utf8.DecodeRuneInString(a.Local)
	return string(unicode.ToTitle(first)) + a.Local[size:]
}

// Fold returns the form in which texts that differ only by case or by their
// spelling in Unicode are equal.
func Fold(text string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(text)))
}
