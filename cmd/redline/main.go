// Command redline is the whole service in one program; see the README.
package main

import (
	"context"
	"fmt"
	"os"
)

// commands are the words that may follow the program's name.
var commands = map[string]func(ctx context.Context, args []string) error{
	"dev":     runDev,
	"migrate": func(context.Context, []string) error { return nil },
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: redline dev | migrate")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](context.Background(), os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "redline: "+err.Error())
		os.Exit(1)
	}
}
