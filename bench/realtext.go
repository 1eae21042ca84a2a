package main

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// realText are files made of the comments of Go's standard library and of the
// packages that the service is made of: written by people, and there wherever
// this is built.
func realText() ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	l := &reader{seen: map[string]bool{}}
	if err := filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), l.take); err != nil {
		return nil, err
	}
	folders, err := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{.Dir}}{{end}}", "./...").Output()
	if err != nil {
		return nil, err
	}
	for folder := range strings.Lines(string(folders)) {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(folder), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			l.read(file)
		}
	}
	return joined(l.passages), nil
}

// reader collects comments, each text once.
type reader struct {
	passages []string
	seen     map[string]bool
}

func (l *reader) take(path string, entry fs.DirEntry, err error) error {
	if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") {
		l.read(path)
	}
	return err
}

// shortest is the length in bytes of a comment that says something by itself.
const shortest = 120

func (l *reader) read(path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return // test data that is no Go
	}
	for _, comment := range file.Comments {
		text := strings.TrimSpace(comment.Text())
		if len(text) > shortest && !l.seen[text] && !strings.HasPrefix(text, "Copyright") {
			l.seen[text] = true
			l.passages = append(l.passages, text)
		}
	}
}

// kept is a vector as it stands in the rows.
type kept struct {
	Model        string
	Hash, Vector []byte
}

func keptFile() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "redline", "bench-vectors.gob"), err
}

// preload puts the vectors of a former run into the rows.
func (r *rig) preload(ctx context.Context) error {
	name, err := keptFile()
	if err != nil {
		return err
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var all []kept
	if err := gob.NewDecoder(file).Decode(&all); err != nil {
		return err
	}
	_, err = r.rows.CopyFrom(ctx, pgx.Identifier{"vectors"}, []string{"workspace_id", "model", "text_hash", "vector"},
		pgx.CopyFromSlice(len(all), func(i int) ([]any, error) {
			return []any{r.workspace.ID, all[i].Model, all[i].Hash, all[i].Vector}, nil
		}))
	return err
}

// keep writes the vectors down for the next run.
func (r *rig) keep(ctx context.Context) error {
	rows, err := r.rows.Query(ctx, `SELECT model, text_hash, vector FROM vectors WHERE workspace_id = $1`, r.workspace.ID)
	if err != nil {
		return err
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[kept])
	if err != nil {
		return err
	}
	name, err := keptFile()
	if err != nil {
		return err
	}
	file, err := os.Create(name + ".partial")
	if err != nil {
		return err
	}
	if err := errors.Join(gob.NewEncoder(file).Encode(all), file.Close()); err != nil {
		return err
	}
	return os.Rename(name+".partial", name)
}

// stub is an embedding endpoint that knows the vectors of the questions.
type stub struct {
	url    string
	server *http.Server
}

func (s *stub) close() { _ = s.server.Close() }

func (l *library) embedder() (*stub, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	answers := make([][]byte, len(l.questions))
	for i, question := range l.questions {
		if answers[i], err = embedded(question); err != nil {
			return nil, err
		}
	}
	probe, err := embedded(l.probe)
	if err != nil {
		return nil, err
	}
	s := &stub{url: "http://" + listener.Addr().String(), server: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Input) != 1 {
			http.Error(w, "one question, please", http.StatusBadRequest)
			return
		}
		answer, i := probe, 0
		if _, err := fmt.Sscanf(asked.Input[0], "question %d", &i); err == nil {
			answer = answers[i]
		}
		_, _ = w.Write(answer)
	})}}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

func embedded(vector []float32) ([]byte, error) {
	return json.Marshal(map[string]any{"data": []any{map[string]any{"index": 0, "embedding": vector}}})
}
