package labelled

import (
	"fmt"
	"path"
	"strings"
)

// Document is a file that is searched, in markdown.
type Document struct{ Name, Text string }

// Sought is a question to be answered by one passage of a document.
type Sought struct {
	ID       string `json:"id"`
	File     string `json:"file"`
	Question string `json:"question"`
	// Answer is how the sentence that answers begins, word for word and once in the file.
	Answer string `json:"answer"`
}

// Half is that of the file by its name, so that what stands in one file is in one half.
func (s *Sought) Half() Half { return HalfOf(s.File) }

// Retrieval is a body of documents and the questions over it.
type Retrieval struct {
	Documents []Document
	Questions []Sought
}

func loadRetrieval() (r Retrieval, err error) {
	entries, err := files.ReadDir("sets/retrieval")
	if err != nil {
		return r, err
	}
	for _, entry := range entries {
		text, err := files.ReadFile(path.Join("sets/retrieval", entry.Name()))
		if err != nil {
			return r, err
		}
		r.Documents = append(r.Documents, Document{Name: entry.Name(), Text: string(text)})
	}
	if r.Questions, err = read[Sought]("retrieval-questions"); err != nil {
		return r, err
	}
	return r, r.check()
}

// check finds ids that are there twice and answers that stand nowhere, or more than once.
func (r *Retrieval) check() error {
	texts, seen := map[string]string{}, map[string]bool{}
	for _, d := range r.Documents {
		texts[d.Name] = d.Text
	}
	for _, q := range r.Questions {
		switch {
		case q.ID == "" || q.Question == "" || q.Answer == "" || seen[q.ID]:
			return fmt.Errorf("question %q: something is missing, or it is there twice", q.ID)
		case strings.Count(texts[q.File], q.Answer) != 1:
			return fmt.Errorf("question %s: its answer does not stand in %s once", q.ID, q.File)
		}
		seen[q.ID] = true
	}
	return nil
}
