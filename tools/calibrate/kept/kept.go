package kept

import (
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/redline-svc/redline/internal/embed"
)

// batch is how many texts the model is given at once: progress shows after each, and what
// was made before a failure is kept.
const batch = 64

// key is the SHA-256 of what a text is for, a zero byte and the text.
type key [sha256.Size]byte

func keyOf(text string, use embed.Use) key { return sha256.Sum256([]byte(string(use) + "\x00" + text)) }

// content is the file.
type content struct {
	Probe   []float32
	Vectors map[key][]float32
}

// Model is an embedder that asks the one behind it only for what it does not remember. It
// is not for use by many goroutines.
type Model struct {
	embed.Embedder

	// Progress, where it is set, is called while many texts are embedded.
	Progress func(done, of int)

	file  string
	known content
	made  int
}

// Open reads what is kept of the model in the folder; an empty folder keeps nothing. A file
// that cannot be read, or that is of another model by its probe, counts as none. The only
// error is that of the model.
func Open(ctx context.Context, folder string, model embed.Embedder) (*Model, error) {
	probe, err := model.Embed(ctx, []string{embed.Probe}, embed.Query)
	if err != nil {
		return nil, err
	}
	m := &Model{Embedder: model}
	if folder != "" {
		hash := sha256.Sum256([]byte(model.Identity().String()))
		m.file = filepath.Join(folder, "calibrate-"+hex.EncodeToString(hash[:8])+".gob")
		m.known = read(m.file)
	}
	if !embed.SameModel(m.known.Probe, probe[0]) {
		m.known = content{Probe: probe[0], Vectors: map[key][]float32{}}
	}
	return m, nil
}

// read returns what is in a file, and nothing where that cannot be.
func read(file string) (found content) {
	opened, err := os.Open(file)
	if err != nil {
		return content{}
	}
	defer func() { _ = opened.Close() }()
	if gob.NewDecoder(opened).Decode(&found) != nil {
		return content{}
	}
	return found
}

// Embed returns the vectors of texts, made or remembered; they are read only.
func (m *Model) Embed(ctx context.Context, texts []string, use embed.Use) ([][]float32, error) {
	var missing []string
	noted := map[key]bool{}
	for _, text := range texts {
		k := keyOf(text, use)
		if m.known.Vectors[k] == nil && !noted[k] {
			noted[k] = true
			missing = append(missing, text)
		}
	}
	if err := m.fill(ctx, missing, use); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = m.known.Vectors[keyOf(text, use)]
	}
	return vectors, nil
}

// fill asks the model for what is missing.
func (m *Model) fill(ctx context.Context, texts []string, use embed.Use) error {
	for start := 0; start < len(texts); start += batch {
		some := texts[start:min(start+batch, len(texts))]
		made, err := m.Embedder.Embed(ctx, some, use)
		if err != nil {
			return err
		}
		for i, vector := range made {
			m.known.Vectors[keyOf(some[i], use)] = vector
		}
		m.made += len(made)
		if m.Progress != nil && len(texts) > batch {
			m.Progress(start+len(some), len(texts))
		}
	}
	return nil
}

// Save writes down what is known for the next time, if anything was added. A process that
// dies meanwhile leaves the former file.
func (m *Model) Save() error {
	if m.file == "" || m.made == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(m.file), 0o750); err != nil {
		return err
	}
	partial, err := os.CreateTemp(filepath.Dir(m.file), filepath.Base(m.file)+"-*")
	if err != nil {
		return err
	}
	if err := errors.Join(gob.NewEncoder(partial).Encode(m.known), partial.Close()); err != nil {
		return errors.Join(err, os.Remove(partial.Name()))
	}
	if err := os.Rename(partial.Name(), m.file); err != nil {
		return fmt.Errorf("keep the vectors: %w", err)
	}
	m.made = 0
	return nil
}
