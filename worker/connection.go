package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/redline-svc/redline/internal/contract"
)

const (
	// retention is how long Temporal keeps closed runs: long enough to look
	// into last week's, and rows keep the rest.
	retention = 7 * 24 * time.Hour
	// reconnectAtMost bounds the pause between two dials, so that work goes on
	// soon after Temporal is back.
	reconnectAtMost = time.Second
	// askLimit is how long one question to Temporal may take.
	askLimit = 5 * time.Second
	// usableEvery is the pause between two looks whether a new namespace can be
	// used; a new search attribute takes about a second.
	usableEvery = 200 * time.Millisecond
	// usableWithin is how long that may take before it is reported as an error, for
	// example an attribute of the same name and another type.
	usableWithin = 30 * time.Second
)

// attributes are the search attributes that runs carry, all keywords.
var attributes = []string{
	contract.SearchExecutionID, contract.SearchDefinitionID, contract.SearchWorkspaceID, contract.SearchStatus,
	contract.SearchCorrelationID, contract.SearchKind, contract.SearchObjectID,
}

// errNoNamespace: the namespace is not there or is being deleted.
var errNoNamespace = errors.New("the namespace is not there")

// connection is one to Temporal.
type connection struct {
	client.Client
	namespace string
}

// connect makes a connection that dials when it is used and again whenever it
// is lost.
func connect(o Options) (*connection, error) {
	c, err := client.NewLazyClient(client.Options{
		HostPort:     o.Address,
		Namespace:    o.Namespace,
		Logger:       sdklog.NewStructuredLogger(o.Log.With("part", "temporal")),
		Interceptors: o.Interceptors,
		ConnectionOptions: client.ConnectionOptions{
			TLS: o.TLS,
			// Requests are small, so packing them costs both sides more than it saves.
			GrpcCompression: &client.GrpcCompressionNone{},
			DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: usableEvery, Multiplier: 1.6, Jitter: 0.2, MaxDelay: reconnectAtMost},
				MinConnectTimeout: askLimit,
			})},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("the connection to Temporal: %w", err)
	}
	return &connection{Client: c, namespace: o.Namespace}, nil
}

// prepare makes the namespace and the search attributes where they are missing
// and waits until they can be used. It gives the namespace's own id.
func (e *connection) prepare(ctx context.Context) (string, error) {
	id, err := e.namespaceID(ctx)
	if errors.Is(err, errNoNamespace) {
		if err := e.makeNamespace(ctx); err != nil {
			return "", err
		}
		id, err = e.namespaceID(ctx)
	}
	if err != nil {
		return "", err
	}
	for patience := time.Now().Add(usableWithin); ; {
		err := e.makeAttributes(ctx)
		if err == nil {
			err = e.tryAttributes(ctx)
		}
		if err == nil {
			return id, nil
		}
		if !unusableYet(err) || time.Now().After(patience) || !pause(ctx, usableEvery) {
			return "", err
		}
	}
}

// unusableYet reports whether err may only mean that Temporal's parts have not
// all heard of a new namespace or attribute.
func unusableYet(err error) bool {
	var invalid *serviceerror.InvalidArgument
	var missing *serviceerror.NamespaceNotFound
	return errors.As(err, &invalid) || errors.As(err, &missing)
}

// namespaceID returns the id of the namespace, or errNoNamespace.
func (e *connection) namespaceID(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	found, err := e.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: e.namespace})
	var missing *serviceerror.NamespaceNotFound
	switch {
	case errors.As(err, &missing):
		return "", errNoNamespace
	case err != nil:
		return "", fmt.Errorf("look for the namespace: %w", err)
	case found.GetNamespaceInfo().GetState() != enumspb.NAMESPACE_STATE_REGISTERED:
		return "", errNoNamespace
	default:
		return found.GetNamespaceInfo().GetId(), nil
	}
}

func (e *connection) makeNamespace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	_, err := e.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace:                        e.namespace,
		Description:                      "runs of redline",
		WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	var exists *serviceerror.NamespaceAlreadyExists
	if err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("make the namespace: %w", err)
	}
	return nil
}

// Seen is what somebody who looks after Temporal wants to know of the server and the namespace.
type Seen struct {
	// Version is that of the server.
	Version string
	// Missing is what of the namespace a worker would have to make: "namespace" if all of it, or the
	// names of search attributes. Mistyped are those that are there and are not of the type Keyword.
	Missing, Mistyped []string
}

// Look asks Temporal and changes nothing.
func Look(ctx context.Context, o Options) (seen Seen, err error) {
	e, err := connect(o)
	if err != nil {
		return seen, err
	}
	defer e.Close()
	if _, err := e.namespaceID(ctx); err != nil && !errors.Is(err, errNoNamespace) {
		return seen, err
	} else if err != nil {
		seen.Missing = []string{"namespace"}
	}
	about, err := e.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	seen.Version = about.GetServerVersion()
	if err != nil || len(seen.Missing) > 0 {
		return seen, err
	}
	have, err := e.haveAttributes(ctx)
	seen.Missing = slices.Sorted(maps.Keys(missingAttributes(have)))
	for _, name := range attributes {
		if kind, there := have[name]; there && kind != enumspb.INDEXED_VALUE_TYPE_KEYWORD {
			seen.Mistyped = append(seen.Mistyped, name)
		}
	}
	return seen, err
}

// haveAttributes are the search attributes of the namespace, with their types.
func (e *connection) haveAttributes(ctx context.Context) (map[string]enumspb.IndexedValueType, error) {
	have, err := e.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: e.namespace})
	if err != nil {
		return nil, fmt.Errorf("list the search attributes: %w", err)
	}
	return have.GetCustomAttributes(), nil
}

// missingAttributes are the search attributes that are not among those, with their types.
func missingAttributes(have map[string]enumspb.IndexedValueType) map[string]enumspb.IndexedValueType {
	missing := map[string]enumspb.IndexedValueType{}
	for _, name := range attributes {
		if _, ok := have[name]; !ok {
			missing[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
		}
	}
	return missing
}

// makeAttributes adds the search attributes that the namespace does not have.
func (e *connection) makeAttributes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	have, err := e.haveAttributes(ctx)
	missing := missingAttributes(have)
	if err != nil || len(missing) == 0 {
		return err
	}
	_, err = e.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: e.namespace, SearchAttributes: missing,
	})
	var exists *serviceerror.AlreadyExists
	if err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("add the search attributes: %w", err)
	}
	return nil
}

// tryAttributes asks a question with every search attribute in it.
func (e *connection) tryAttributes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	terms := make([]string, len(attributes))
	for i, name := range attributes {
		terms[i] = name + " = 'none'"
	}
	_, err := e.WorkflowService().CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: e.namespace, Query: strings.Join(terms, " AND "),
	})
	if err != nil {
		return fmt.Errorf("use the search attributes: %w", err)
	}
	return nil
}

// pause waits for d; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
