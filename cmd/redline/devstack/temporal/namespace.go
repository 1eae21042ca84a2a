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
)

const (
	// retention is how long the engine keeps ended runs. The rows are kept elsewhere and for longer.
	retention = 7 * 24 * time.Hour
	// probe is how often a starting server is asked.
	probe = 50 * time.Millisecond
	// callLimit bounds one question to a starting server.
	callLimit = 2 * time.Second
)

// AwaitNamespace waits until the server answers, registers the namespace
// unless it is there, and waits until runs can be counted in it: the services
// learn of a new namespace a moment after it was made.
func AwaitNamespace(ctx context.Context, address, namespace string) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: callLimit}))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	service := workflowservice.NewWorkflowServiceClient(conn)
	if err := until(ctx, func(ctx context.Context) error { return register(ctx, service, namespace) }); err != nil {
		return fmt.Errorf("register the engine's namespace: %w", err)
	}
	return until(ctx, func(ctx context.Context) error {
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
	var exists *serviceerror.NamespaceAlreadyExists
	if errors.As(serviceerror.FromStatus(status.Convert(err)), &exists) {
		return nil
	}
	return err
}

// until repeats the question until it is answered or the context ends; the last refusal is the error.
func until(ctx context.Context, ask func(context.Context) error) error {
	for {
		bounded, cancel := context.WithTimeout(ctx, callLimit)
		err := ask(bounded)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(probe):
		}
	}
}
