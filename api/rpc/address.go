package rpc

import (
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
)

// AddressRefused is the code of the issue where an address may not be called.
const AddressRefused = "address-refused"

// AddressChecker says whether an address may be called at all, by its form.
type AddressChecker interface {
	CheckURL(raw string, kind guard.Kind) error
}

// CheckAddress refuses an address in a field of a request that may not be called;
// an empty one is not there.
func CheckAddress(checker AddressChecker, raw, field string, kind guard.Kind) error {
	if raw == "" {
		return nil
	}
	if err := checker.CheckURL(raw, kind); err != nil {
		return fault.Invalid(fault.Issue{Code: AddressRefused, Path: []string{field}, Message: "this address may not be called: " + err.Error()})
	}
	return nil
}
