package vector

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc/status"
)

const (
	// leaveLimit is how long a call waits for a workspace that is on its way out of
	// the index's memory: the index gives those that use it 2 s to end.
	leaveLimit = 10 * time.Second
	// leavePause is the first pause between two tries, which grow up to
	// longestLeavePause.
	leavePause, longestLeavePause = 20 * time.Millisecond, 320 * time.Millisecond
)

// leaving is what the index says of a workspace on its way out of its memory, left of
// one that is out of it and should not be; inUse of one that leaves as soon as those
// who use it end.
const leaving, left, inUse = "shard shutdown in progress", "already shut or dropped", "shard still in use"

// Release has the index let go of what it keeps in memory of workspaces in the
// collections of a generation. Their files stay, and whatever is asked or written
// next brings a workspace back. Those that have nothing there are passed over.
func (x *Index) Release(ctx context.Context, suffix string, workspaces []string) error {
	for _, corpus := range collections {
		name := Partition{Suffix: suffix, Corpus: corpus}.collection()
		held, err := x.held(ctx, name, workspaces)
		if err != nil {
			return err
		}
		if err := x.letGo(ctx, name, held); err != nil {
			return err
		}
	}
	return nil
}

// held are those of the workspaces that a collection keeps in memory.
func (x *Index) held(ctx context.Context, name string, workspaces []string) ([]string, error) {
	answer, err := x.calls.TenantsGet(ctx, &pb.TenantsGetRequest{
		Collection: name, Params: &pb.TenantsGetRequest_Names{Names: &pb.TenantNames{Values: workspaces}},
	})
	if err != nil {
		if nothingThere(status.Convert(err).Message()) {
			return nil, nil
		}
		return nil, translate(err)
	}
	out := []pb.TenantActivityStatus{pb.TenantActivityStatus_TENANT_ACTIVITY_STATUS_COLD, pb.TenantActivityStatus_TENANT_ACTIVITY_STATUS_INACTIVE}
	var held []string
	for _, tenant := range answer.GetTenants() {
		if !slices.Contains(out, tenant.GetActivityStatus()) {
			held = append(held, tenant.GetName())
		}
	}
	return held, nil
}

// letGo takes workspaces out of memory.
func (x *Index) letGo(ctx context.Context, name string, workspaces []string) error {
	if len(workspaces) == 0 {
		return nil
	}
	cold := make([]models.Tenant, len(workspaces))
	for i, workspace := range workspaces {
		cold[i] = models.Tenant{Name: workspace, ActivityStatus: models.TenantActivityStatusCOLD}
	}
	err := x.client.Schema().TenantsUpdater().WithClassName(name).WithTenants(cold...).Do(ctx)
	if says(err, inUse) {
		return nil
	}
	return translate(err)
}

// whenBack makes a call that any use of a workspace is. The index brings a workspace
// back for it by itself; but while the workspace is on its way out it refuses, so the
// call is made again until it is out. One that was let go while it was used may
// count as in memory although it is not: then it is let go once more.
func (x *Index) whenBack(ctx context.Context, p Partition, call func() error) error {
	err := call()
	for pause, since := leavePause, time.Now(); onItsWay(err) && time.Since(since) < leaveLimit; pause = min(2*pause, longestLeavePause) {
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		was := err
		if err = call(); says(was, left) && says(err, left) {
			_ = x.letGo(ctx, p.collection(), []string{p.Workspace}) // the next try tells
		}
	}
	return err
}

func onItsWay(err error) bool { return says(err, leaving) || says(err, left) }

func says(err error, what string) bool { return err != nil && strings.Contains(err.Error(), what) }
