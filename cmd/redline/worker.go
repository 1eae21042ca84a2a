package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/worker"
)

// newWorker puts the work together: what drives executions and deliveries.
func newWorker(p *parts) (*worker.Worker, error) {
	secure, err := engineTLS(p.conf.Temporal)
	if err != nil {
		return nil, err
	}
	traces, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{})
	if err != nil {
		return nil, fmt.Errorf("traces of the engine: %w", err)
	}
	return worker.New(worker.Options{
		Address: p.conf.Temporal.Addr, Namespace: p.conf.Temporal.Namespace, TLS: secure,
		Interceptors: []interceptor.ClientInterceptor{traces},
		Executions:   p.executions, Nudges: p.nudges,
		ExecutionActivities: activities.NewExecutions(
			p.executions, activities.NewWebhookSteps(p.guard), p.conf.Engine.ContinueAsNewEvents),
		StartsInFlight: p.conf.Engine.StartsInFlight, StopTimeout: p.conf.Stop.Timeout,
		Metrics: p.metrics, Log: p.log,
	})
}

// engineTLS gives the TLS settings of the connection to the engine, nil for a
// plain one.
func engineTLS(t config.Temporal) (*tls.Config, error) {
	if t.TLSCertFile == "" && t.TLSCAFile == "" && t.TLSServerName == "" {
		return nil, nil //nolint:nilnil // plain is a valid answer
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.TLSServerName}
	if t.TLSCertFile != "" {
		pair, err := tls.LoadX509KeyPair(t.TLSCertFile, t.TLSKeyFile)
		if err != nil {
			return nil, fmt.Errorf("REDLINE_TEMPORAL_TLS_CERT_FILE and REDLINE_TEMPORAL_TLS_KEY_FILE: %w", err)
		}
		secure.Certificates = []tls.Certificate{pair}
	}
	if t.TLSCAFile != "" {
		pem, err := os.ReadFile(t.TLSCAFile)
		if err != nil {
			return nil, fmt.Errorf("REDLINE_TEMPORAL_TLS_CA_FILE: %w", err)
		}
		secure.RootCAs = x509.NewCertPool()
		if !secure.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("REDLINE_TEMPORAL_TLS_CA_FILE: has no certificate")
		}
	}
	return secure, nil
}
