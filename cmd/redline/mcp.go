package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/mcp"
)

const aboutMCP = `Serves agents by the Model Context Protocol, over standard input and output, or over HTTP with --http.

It is a client of a service like any other: REDLINE_URL, REDLINE_API_KEY and REDLINE_AUTH_TOKEN say of which one and
with whose rights. Without --write it only reads.`

// mcpFlags are the flags of `redline mcp`.
type mcpFlags struct {
	write         bool
	user          string
	listen, key   string
	hosts, origin []string
}

// runMCP is `redline mcp`.
func runMCP(ctx context.Context, args []string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	var f mcpFlags
	cmd := &cobra.Command{
		Use: "redline mcp", Short: "let agents use a service", Long: aboutMCP, Args: cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&f.write, "write", false, "add the tools that dispatch, decide and comment")
	cmd.Flags().StringVar(&f.user, "user", "", "id of the one person or agent to act for: their inbox, decisions and comments")
	cmd.Flags().StringVar(&f.listen, "http", "", "address to listen at, such as 127.0.0.1:8090")
	cmd.Flags().StringVar(&f.key, "key-file", "", "file with the key that clients send over HTTP as bearer token, at least 16 characters")
	cmd.Flags().StringSliceVar(&f.hosts, "host", nil, "a name under which clients reach it over HTTP, beside localhost")
	cmd.Flags().StringSliceVar(&f.origin, "origin", nil, "an origin whose pages may call over HTTP")
	cmd.SetArgs(args)
	return cmd.ExecuteContext(ctx)
}

func (f *mcpFlags) serve(ctx context.Context) error {
	client, err := redline.New()
	if err != nil {
		return err
	}
	server := mcp.New(mcp.Options{Client: client, Version: telemetry.Version(), Write: f.write, UserID: f.user})
	if f.listen == "" {
		return mcp.ServeStdio(ctx, server)
	}
	key, err := os.ReadFile(f.key)
	if err != nil {
		return usageError("--http needs --key-file: " + err.Error())
	}
	handler, err := mcp.Handler(server, mcp.Door{Key: strings.TrimSpace(string(key)), Hosts: f.hosts, Origins: f.origin})
	if err != nil {
		return err
	}
	at, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "listening at http://"+at.Addr().String())
	return mcp.ServeHTTP(ctx, at, handler)
}
