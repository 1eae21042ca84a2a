package memory

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Each version of a book that is a text has so many chunks and rules, one that is a table so
// many rows with a rule each, and one chunk. All of it is found by one search.
const bookSections, bookRows = 20, 15

// book is a source that is brought in, replaced and deleted.
type book struct {
	id string

	mu sync.Mutex
	// words are those of its versions: each stands in every chunk and every rule of one.
	// last is that of the newest version.
	words []string
	last  string
	// shown is whether a version was live, going whether it is about to be deleted.
	shown, going bool
}

// fixtures are the books of a workspace, with those who change them and read in them.
type fixtures struct {
	s *kit.Env
	// line tells something new whenever a version has become live.
	line func() string

	mu    sync.Mutex
	books []*book
	over  atomic.Bool
	// counts of what was answered, and of sources that were tried again.
	updates, deletes, searches, retries atomic.Int64
}

// newWord is the word of a version; those of tables begin differently.
func newWord(table bool) string {
	if table {
		return kit.Unique("table")
	}
	return kit.Unique("prose")
}

// itemsOf is how many chunks and rules the version with the word has.
func itemsOf(word string) (chunks, rules int) {
	if strings.HasPrefix(word, "table") {
		return 1, bookRows
	}
	return bookSections, bookSections
}

// tableOf is a table with a rule in each row.
func tableOf(word string) string {
	var text strings.Builder
	text.WriteString("task,remark\n")
	for i := range bookRows {
		fmt.Fprintf(&text, "The %s part %d must be oiled.,machine\n", word, i)
	}
	return text.String()
}

// add brings a book in. Who repeats it after a lost answer gets the same source.
func (f *fixtures) add(table bool) *book {
	word := newWord(table)
	data := map[string]any{"source": "inline", "file": kit.InlineFile([]byte(marked(word, bookSections)), kit.PlainText), "onDuplicate": "reuse"}
	if table {
		data["file"] = kit.InlineFile([]byte(tableOf(word)), kit.CSVType)
	}
	answer, err := kit.UntilAnswered(f.s.T, func() (redline.IngestResult, error) {
		return client.Call[redline.IngestResult](f.s.Ctx, f.s.Keyed, client.Ingest, data)
	})
	if !kit.NoError(f.s.T, err) {
		return nil
	}
	b := &book{id: answer.SourceID, words: []string{word}, last: word}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.books = append(f.books, b)
	return b
}

// finish waits until the newest version is live, as long as it takes: kills that do not end
// delay it, and none is stuck while the line moves. A table whose converter was killed three
// times counts as a file that crashes it; it is tried again.
func (f *fixtures) finish(b *book) bool {
	var last redline.IngestStatus
	done := kit.WhileMoving(kit.IngestionTime, f.line, func() bool {
		found, err := kit.UntilAnswered(f.s.T, func() (redline.IngestStatus, error) {
			return client.Call[redline.IngestStatus](f.s.Ctx, f.s.Keyed, client.IngestStatus, map[string]any{"sourceId": b.id})
		})
		if last = found; err == nil && found.FailureReason == "file-corrupt" {
			f.retry(b)
		}
		return err != nil || found.Status == "completed"
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown = last.Status == "completed"
	return assert.True(f.s.T, done && b.shown, "%s is stuck: %+v", b.id, last)
}

func (f *fixtures) retry(b *book) {
	_, err := kit.UntilAnswered(f.s.T, func() (redline.IngestResult, error) {
		return client.Call[redline.IngestResult](f.s.Ctx, f.s.Keyed, client.RetrySource, map[string]any{"sourceId": b.id})
	})
	if refused := redline.AsError(err); refused == nil || !refused.Has("not-failed") {
		kit.NoError(f.s.T, err)
	}
	f.retries.Add(1)
}

// change replaces a book twice at once. The newest version is that of the answer with the
// highest number.
func (f *fixtures) change(b *book) {
	var mu sync.Mutex
	newest := 0
	kit.Concurrently(2, func(int) {
		word := newWord(false)
		b.mu.Lock()
		b.words = append(b.words, word)
		b.mu.Unlock()
		answer, err := kit.UntilAnswered(f.s.T, func() (redline.UpdateResult, error) {
			return client.Call[redline.UpdateResult](f.s.Ctx, f.s.Keyed, client.UpdateKnowledge, map[string]any{"sourceId": b.id, "newContent": marked(word, bookSections)})
		})
		mu.Lock()
		defer mu.Unlock()
		if kit.NoError(f.s.T, err) && answer.NewVersion > int64(newest) {
			newest = int(answer.NewVersion)
			b.mu.Lock()
			defer b.mu.Unlock()
			b.last = word
		}
	})
	f.updates.Add(2)
}

// drop deletes a book, whatever is in work. A repetition may find it gone.
func (f *fixtures) drop(b *book) {
	b.mu.Lock()
	b.going = true
	b.mu.Unlock()
	_, err := kit.UntilAnswered(f.s.T, func() (redline.SourceDeleted, error) {
		return client.Call[redline.SourceDeleted](f.s.Ctx, f.s.Keyed, client.DeleteSource, map[string]any{"sourceId": b.id, "force": true})
	})
	if refused := redline.AsError(err); refused == nil || refused.Status != "NOT_FOUND" {
		kit.NoError(f.s.T, err)
	}
	f.deletes.Add(1)
}

// write takes one book after the other through its life. Of three, one is kept, one deleted
// when it was live, and one while its change is in work.
func (f *fixtures) write(random *rand.Rand) {
	for !f.over.Load() {
		b := f.add(random.IntN(3) == 0)
		if b == nil || !f.finish(b) {
			return
		}
		fate := random.IntN(3)
		for range 1 + random.IntN(2) {
			f.change(b)
		}
		if fate == 0 || f.finish(b) && fate == 1 {
			f.drop(b)
		}
		kit.Pause(f.s.Ctx, kit.FollowPause)
	}
}

// read searches one book after the other. A search shows one version of a book, whole, or
// nothing of one that was not live yet or is being deleted.
func (f *fixtures) read(random *rand.Rand) {
	for !f.over.Load() {
		if b := f.one(random); b != nil {
			f.look(b)
		}
		kit.Pause(f.s.Ctx, kit.FollowPause)
	}
}

// one is a book of the last few, which change most.
func (f *fixtures) one(random *rand.Rand) *book {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.books) == 0 {
		return nil
	}
	return f.books[len(f.books)-1-random.IntN(min(len(f.books), 8))]
}

func (f *fixtures) look(b *book) {
	b.mu.Lock()
	shown := b.shown
	b.mu.Unlock()
	answer, err := client.Call[redline.KnowledgeResults](f.s.Ctx, f.s.Keyed, client.SearchKnowledge,
		map[string]any{"query": "machine", "sourceId": b.id, "includeRules": true, "limit": 50})
	if err != nil && kit.IsTransient(err) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !kit.NoError(f.s.T, err) || len(answer.Results) == 0 && (!shown || b.going) {
		return
	}
	f.searches.Add(1)
	assert.NoError(f.s.T, isWhole(b.words, answer.Results))
}

// isWhole returns what is wrong with hits that should be all of one version, each once.
func isWhole(words []string, hits []redline.KnowledgeHit) error {
	seen := map[string]bool{}
	found := map[string]int{}
	for _, hit := range hits {
		if seen[string(hit.Kind)+hit.Text] {
			return fmt.Errorf("found twice: %s %s", hit.Kind, hit.Text)
		}
		seen[string(hit.Kind)+hit.Text] = true
		for _, word := range words {
			if strings.Contains(hit.Text, "The "+word+" part") {
				found[word]++
			}
		}
	}
	for word, count := range found {
		chunks, rules := itemsOf(word)
		if len(found) == 1 && count == len(hits) && count == chunks+rules {
			return nil
		}
	}
	return fmt.Errorf("no whole version, but %d hits: %v", len(hits), found)
}

// kept are the books that were not deleted.
func (f *fixtures) kept() (books []*book) {
	for _, b := range f.books {
		if !b.going {
			books = append(books, b)
		}
	}
	return books
}

// settle waits until each book that was kept shows its newest version and nothing else, and
// returns how many chunks and rules they have.
func (f *fixtures) settle() (chunks, rules int) {
	for _, b := range f.kept() {
		require.True(f.s.T, f.finish(b))
		found := kit.Search(f.s, "machine", map[string]any{"sourceId": b.id, "includeRules": true, "limit": 50})
		require.NoError(f.s.T, isWhole([]string{b.last}, found.Results))
		c, r := itemsOf(b.last)
		chunks, rules = chunks+c, rules+r
	}
	return chunks, rules
}
