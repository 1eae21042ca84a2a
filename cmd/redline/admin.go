package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/schema"
	"github.com/redline-svc/redline/models/workspace"
)

// adminConns is enough for one person's command.
const adminConns = 4

// admin is one run of the operator's tool. It talks to Postgres directly, so it
// works while everything else is down.
type admin struct {
	environ []string
	in      io.Reader
	out     io.Writer
	// asked is where questions go, so that they do not mix with the output.
	asked io.Writer

	person string
	asJSON bool
	yes    bool
	config config.Config
	db     *models.DB
	box    *secret.Box
}

// adminAreas are the words that may follow `redline admin`, one function each.
var adminAreas = []func(*admin) *cobra.Command{
	(*admin).workspaceCommand,
	(*admin).apiKeyCommand,
	(*admin).limitsCommand,
	(*admin).keysCommand,
	(*admin).temporalCommand,
	(*admin).webhookCommand,
	(*admin).indexCommand,
	(*admin).patternsCommand,
	(*admin).auditCommand,
	(*admin).backupCommand,
	(*admin).restoreCommand,
	(*admin).doctorCommand,
}

// runAdmin is `redline admin`.
func runAdmin(ctx context.Context, args []string) error {
	a := &admin{environ: os.Environ(), in: os.Stdin, out: os.Stdout, asked: os.Stderr}
	return a.run(ctx, args)
}

func (a *admin) run(ctx context.Context, args []string) error {
	root := area("admin", "Look after workspaces, keys, limits and secrets, directly in the database")
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "redline admin"}
	root.SilenceUsage, root.SilenceErrors = true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.HasSubCommands() || cmd.Annotations[withoutDatabase] != "" {
			return nil // it only prints help, or looks for itself why there is none
		}
		return a.open(cmd.Context(), cmd.Annotations[anySchema] != "")
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err.Error()) })
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.asked)
	flags := root.PersistentFlags()
	flags.BoolVar(&a.asJSON, "json", false, "print JSON")
	flags.BoolVar(&a.yes, "yes", false, "do not ask before something is closed or destroyed")
	flags.StringVar(&a.person, "as", defaultPerson(), "the person named in the audit row")
	for _, area := range adminAreas {
		root.AddCommand(area(a))
	}
	showUsage(root)
	defer a.close()
	return root.ExecuteContext(ctx)
}

// showUsage has every command answer a wrong number of words with its own line.
func showUsage(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		showUsage(sub)
	}
	if cmd.Args == nil {
		return
	}
	right := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := right(cmd, args); err != nil {
			return usageError(fmt.Sprintf("%v; it goes like this: %s", err, cmd.UseLine()))
		}
		return nil
	}
}

// defaultPerson is who sits at the keyboard, as far as the system knows.
func defaultPerson() string {
	for _, name := range []string{"SUDO_USER", "USER"} {
		if person := os.Getenv(name); person != "" {
			return person
		}
	}
	if known, err := user.Current(); err == nil {
		return known.Username
	}
	return ""
}

// anySchema marks the commands that look at the schema of the database themselves: all others are refused
// where it is not this program's.
const anySchema = "any schema"

func (a *admin) open(ctx context.Context, unmigrated bool) error {
	if a.person == "" {
		return errors.New("who is doing this? Add --as and a name")
	}
	var err error
	if a.config, _, err = config.Load(config.Admin, a.environ); err != nil {
		return err
	}
	if a.box, err = secret.NewBox(a.config.Keys.Encryption, a.config.Keys.Hash); err != nil {
		return fmt.Errorf("REDLINE_ENCRYPTION_KEYS and REDLINE_HASH_KEYS: %w", err)
	}
	if a.db, err = models.Open(ctx, a.config.Database.URL.Reveal(), models.PoolOptions{Conns: adminConns}); err != nil {
		return databaseFault(err)
	}
	if err := a.db.Ping(ctx); err != nil || unmigrated {
		return err
	}
	return schema.SchemaReady(ctx, a.db)
}

func (a *admin) close() {
	if a.db != nil {
		a.db.Close()
	}
}

// operator makes the store that names the person.
func (a *admin) operator() *workspace.Operator { return workspace.NewOperator(a.db, a.box, a.person) }

// confirm asks before something is closed or destroyed.
func (a *admin) confirm(question string) error {
	if a.yes {
		return nil
	}
	_, _ = fmt.Fprintf(a.asked, "%s Type yes to go on: ", question)
	var answer string
	if _, err := fmt.Fscanln(a.in, &answer); err != nil || answer != "yes" {
		return errors.New("nothing was changed")
	}
	return nil
}

// progress shows a person how far something is.
func (a *admin) progress(done, of int) {
	_, _ = fmt.Fprintf(a.asked, "\r%d of %d", done, of)
	if done == of {
		_, _ = fmt.Fprintln(a.asked)
	}
}

// print writes value as JSON, or what text writes into columns for a person.
func (a *admin) print(value any, text func(w io.Writer)) error {
	if a.asJSON {
		encoder := json.NewEncoder(a.out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	}
	columns := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	text(columns)
	return columns.Flush()
}

// done prints that a change was made.
func (a *admin) done(id, sentence string) error {
	return a.print(map[string]string{"id": id, "done": sentence}, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s: %s.\n", id, sentence)
	})
}

// area makes the command that only holds others.
func area(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		// An unknown word below it is a mistake, not a reason to print help.
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}
