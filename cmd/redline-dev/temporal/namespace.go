package temporal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/redline-svc/redline/cmd/redline-dev/probe"
)

const (
	// retention is how long Temporal keeps ended runs. The rows are kept elsewhere and for longer.
	retention = 7 * 24 * time.Hour
	// connectLimit bounds one try to connect to a starting server.
	connectLimit = 2 * time.Second
)

// AwaitNamespace waits until the server answers, registers the namespace
// unless it is there, and waits until runs can be counted in it: the services
// learn of a new namespace a moment after it was made.
func AwaitNamespace(ctx context.Context, address, namespace string) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: connectLimit}))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	service := workflowservice.NewWorkflowServiceClient(conn)
	if err := probe.Until(ctx, func(ctx context.Context) error { return register(ctx, service, namespace) }); err != nil {
		return fmt.Errorf("register Temporal's namespace: %w", err)
	}
	return probe.Until(ctx, func(ctx context.Context) error {
		_, err := service.CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace})
		return err
	})
}

func register(ctx context.Context, service workflowservice.WorkflowServiceClient, namespace string) error {
	_, err := service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	if err == nil {
		return nil
	}
	_, err = service.RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	if _, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](serviceerror.FromStatus(status.Convert(err))); exists {
		return nil
	}
	return err
}
