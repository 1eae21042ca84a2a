package rpc

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
)

// Issues collects what is wrong with a request below one path, for a Validate
// method that looks into nested structs.
type Issues struct {
	path []string
	list *[]fault.Issue
}

// IssuesIn collects into a list, below a path.
func IssuesIn(list *[]fault.Issue, path ...string) Issues { return Issues{path, list} }

// At collects further below.
func (i Issues) At(path ...string) Issues { return Issues{slices.Concat(i.path, path), i.list} }

// Add notes that something is wrong here.
func (i Issues) Add(code, message string) {
	*i.list = append(*i.list, fault.Issue{Code: code, Path: i.path, Message: message})
}

// Append takes over issues that name their whole path.
func (i Issues) Append(issues ...fault.Issue) { *i.list = append(*i.list, issues...) }

// Path is where issues are collected.
func (i Issues) Path() []string { return i.path }

// addIssues joins the faults between fields to those of single fields. A field
// that is at fault already needs no second word.
func addIssues(issues, more []fault.Issue) []fault.Issue {
	own := len(issues)
	for _, issue := range more {
		known := slices.ContainsFunc(issues[:own], func(other fault.Issue) bool {
			return slices.Equal(other.Path, issue.Path)
		})
		if !known {
			issues = append(issues, issue)
		}
	}
	return issues
}

// issuesOf are the faults that an error lists.
func issuesOf(err error) []fault.Issue {
	if err == nil {
		return nil
	}
	return fault.From(err).Issues
}

// AddressRefused is the code of the issue where an address may not be called.
const AddressRefused = "address-refused"

// AddressChecker reports whether an address may be called at all, by its form.
type AddressChecker interface {
	CheckURL(ctx context.Context, raw string, kind guard.Kind) error
}

// MayCall is CheckAddress with the reason beside the issue.
func MayCall(ctx context.Context, checker AddressChecker, raw string, kind guard.Kind, path ...string) error {
	err := CheckAddress(ctx, checker, raw, kind, path...)
	if err == nil {
		return nil
	}
	refused := fault.From(err)
	refused.Reason = AddressRefused
	return refused
}

// CheckAddress refuses an address at a path of a request that may not be called; an
// empty one is not there.
func CheckAddress(ctx context.Context, checker AddressChecker, raw string, kind guard.Kind, path ...string) error {
	if raw == "" {
		return nil
	}
	if err := checker.CheckURL(ctx, raw, kind); err != nil {
		return fault.InvalidArgument(fault.Issue{Code: AddressRefused, Path: path, Message: "this address may not be called: " + err.Error()})
	}
	return nil
}
