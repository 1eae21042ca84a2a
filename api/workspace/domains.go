package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/workspace"
)

type domainStore interface {
	Add(ctx context.Context, workspaceID string, caller workspace.Caller, domains []string) (added, skipped []string, err error)
	Remove(ctx context.Context, workspaceID string, caller workspace.Caller, domains []string) (removed, skipped []string, err error)
	List(ctx context.Context, workspaceID, keyID string) ([]string, error)
}

// Domains are the operations on the allowed domains of the calling key: the hosts
// whose pages may call with it from a browser.
type Domains struct{ store domainStore }

// NewDomains makes the operations.
func NewDomains(store domainStore) *Domains { return &Domains{store: store} }

// DomainNames are domains as people write them.
type DomainNames struct {
	Domains []string `json:"domains" minItems:"1" maxItems:"100" minLength:"1" maxLength:"300" doc:"hosts, or addresses of pages; *.host stands for every name below host"`
}

// Validate checks the domains.
func (r *DomainNames) Validate() []fault.Issue {
	_, issues := r.normal()
	return issues
}

func (r *DomainNames) normal() ([]string, []fault.Issue) { return normalDomains("domains", r.Domains) }

// AddDomains is the request of domains/add.
type AddDomains struct{ DomainNames }

// AddedDomains is what domains/add answers, in the order of the request.
type AddedDomains struct {
	DomainsAdded   []string `json:"domainsAdded" doc:"in the form in which they are compared"`
	SkippedDomains []string `json:"skippedDomains" doc:"the key has them already"`
}

// Add adds domains to the list of the calling key.
func (d *Domains) Add(ctx context.Context, req *AddDomains) (*rpc.Success[AddedDomains], error) {
	caller := rpc.CallerFrom(ctx)
	names, _ := req.normal() // Validate has looked at them
	added, skipped, err := d.store.Add(ctx, caller.WorkspaceID, caller, names)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Domains added.", AddedDomains{added, skipped}), nil
}

// DeleteDomains is the request of domains/delete.
type DeleteDomains struct{ DomainNames }

// RemovedDomains is what domains/delete answers, in the order of the request.
type RemovedDomains struct {
	DomainsRemoved []string `json:"domainsRemoved"`
	SkippedDomains []string `json:"skippedDomains" doc:"the key does not have them"`
}

// Delete removes domains from the list of the calling key.
func (d *Domains) Delete(ctx context.Context, req *DeleteDomains) (*rpc.Success[RemovedDomains], error) {
	caller := rpc.CallerFrom(ctx)
	names, _ := req.normal() // Validate has looked at them
	removed, skipped, err := d.store.Remove(ctx, caller.WorkspaceID, caller, names)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Domains removed.", RemovedDomains{removed, skipped}), nil
}

// GetDomains is the request of domains/get.
type GetDomains struct{}

// AllowedDomains is what domains/get answers.
type AllowedDomains struct {
	AllowedDomains []string `json:"allowedDomains" doc:"in order of adding"`
}

// Get returns the list of the calling key.
func (d *Domains) Get(ctx context.Context, _ *GetDomains) (*rpc.Success[AllowedDomains], error) {
	caller := rpc.CallerFrom(ctx)
	domains, err := d.store.List(ctx, caller.WorkspaceID, caller.APIKeyID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Domains found.", AllowedDomains{domains}), nil
}
