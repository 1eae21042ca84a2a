package fault_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
)

var (
	// made is a reason where an error is made: the word, or the name of a constant.
	made = regexp.MustCompile(`(?:fault\.(?:FailedPrecondition|InvalidReason|PermissionDenied|AlreadyExists|Aborted|ResourceExhausted)\(|\w\.Reason = )("[a-z-]+"|[a-zA-Z]+\b)`)
	// constant is a word with its name.
	constant = regexp.MustCompile(`(?m)^(?:const)?\s+([a-zA-Z]+)\s+= ("[a-z-]+")`)
)

// sources are the texts of the service's own files, by folder.
func sources(t *testing.T) map[string]string {
	t.Helper()
	texts, root := map[string]string{}, os.DirFS("../..")
	for _, folder := range []string{"api", "internal", "models"} {
		require.NoError(t, fs.WalkDir(root, folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "fault/reasons.go") {
				return err
			}
			text, err := fs.ReadFile(root, name)
			texts[path.Dir(name)] += string(text)
			return err
		}))
	}
	return texts
}

func TestReasonsAreThoseThatErrorsAreMadeWith(t *testing.T) {
	require.True(t, slices.IsSorted(fault.Reasons))
	words := map[string]bool{}
	for _, text := range sources(t) {
		named := map[string]string{}
		for _, found := range constant.FindAllStringSubmatch(text, -1) {
			named[found[1]] = found[2]
			words[strings.Trim(found[2], `"`)] = true
		}
		for _, found := range made.FindAllStringSubmatch(text, -1) {
			word, is := named[found[1]]
			if !is {
				word = found[1]
			}
			if strings.HasPrefix(word, `"`) {
				word = strings.Trim(word, `"`)
				words[word] = true
				require.Contains(t, fault.Reasons, word)
			}
		}
	}
	for _, status := range []fault.Status{
		fault.StatusInvalidArgument, fault.StatusFailedPrecondition, fault.StatusUnauthenticated, fault.StatusPermissionDenied, fault.StatusNotFound, fault.StatusAlreadyExists,
		fault.StatusAborted, fault.StatusResourceExhausted, fault.StatusInternal, fault.StatusUnavailable, fault.StatusDeadlineExceeded,
	} {
		words[(&fault.Error{Status: status}).ReasonOrDefault()] = true
	}
	words["body-too-large"] = true // that of TooLarge
	for _, word := range fault.Reasons {
		require.True(t, words[word], "no error has the reason %s", word)
	}
}
