package console

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// upload sends a file as a browser does.
func upload(v *kit.Visitor, name, text string) *kit.Shown {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	require.NoError(v.Env.T, w.WriteField("formToken", v.Token))
	part, err := w.CreateFormFile("file", name)
	require.NoError(v.Env.T, err)
	_, err = part.Write([]byte(text))
	require.NoError(v.Env.T, err)
	require.NoError(v.Env.T, w.Close())
	return v.Post("/knowledge/upload", w.FormDataContentType(), &body)
}

// A file is uploaded, goes through its stages, shows its rules, and is searched and asked.
func TestKnowledge_UploadedSearchedAskedDeleted(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	require.Contains(t, v.Open("/knowledge").Text(), "No source yet.")
	shown := upload(v, "house <b>style.txt", "House style.\n\nEvery press note must name the year of the catalogue. Prices must never be called the lowest.\n")
	require.Contains(t, shown.Text(), "Taken.")
	require.Contains(t, shown.Text(), "house <b>style.txt", "what it is called")
	here := shown.Address
	kit.RequireEventually(t, "its rules are there", func() bool { return strings.Contains(v.Open(here).Text(), "must name the year") })
	kit.RequireEventually(t, "it is searchable", func() bool { return !strings.Contains(v.Open(here).Text(), "processing") })
	require.Contains(t, v.Open("/knowledge").Text(), "house <b>style.txt")
	found := v.Open("/search", "q", "year of the catalogue")
	require.Contains(t, found.Text(), "press note")
	require.Positive(t, found.Elements("mark"))
	require.Equal(t, http.StatusOK, v.Open("/ask", "q", "What must a press note name?").Code)
	v.Submit("/source/delete", "id", strings.TrimPrefix(here, "/source?id="))
	kit.RequireEventually(t, "it is gone", func() bool { return strings.Contains(v.Open("/knowledge").Text(), "No source yet.") })
}

// A new version is written from the text of the one before, and shows which rules came and went.
func TestKnowledge_NewVersionsShowWhatTheyChange(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	shown := upload(v, "house.txt", "The gate must be closed at night.\n\nBills must be paid within 30 days.\n")
	id := strings.TrimPrefix(shown.Address, "/source?id=")
	kit.RequireEventually(t, "its text is there to be changed", func() bool {
		return strings.Contains(v.Open("/source", "id", id).Text(), "Bills must be paid within 30 days.")
	})
	kit.RequireEventually(t, "it is live", func() bool { return strings.Contains(v.Open("/source", "id", id).Text(), "live 1") })
	shown = v.Submit("/source/rewrite", "id", id, "version", "1", "text", "The gate must be closed at night.\n\nBills must be paid within 14 <b>days</b>.\n")
	for _, words := range []string{"Version 2", "− Bills must be paid within 30 days.", "+ Bills must be paid within 14 <b>days</b>.", "1 rule unchanged", "What it changes of the text"} {
		require.Contains(t, shown.Text(), words)
	}
	stale := v.Submit("/source/rewrite", "id", id, "version", "1", "text", "Nothing.")
	require.Equal(t, http.StatusBadRequest, stale.Code)
	require.Contains(t, stale.Text(), "FAILED_PRECONDITION")
}

func TestKnowledge_WhatIsNotTakenIsSaid(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	require.Contains(t, upload(v, "program.exe", "MZ").Text(), "This kind of file is not taken")
	require.Equal(t, http.StatusBadRequest, v.Submit("/knowledge/upload").Code)
	require.Equal(t, http.StatusNotFound, v.Open("/source", "id", "src_none").Code)
}

// What a person decided with a reason is a judgment, and advice for the next one.
func TestJudgments_OfDecisions(t *testing.T) {
	env := kit.NewWorkspace(t)
	run := kit.Dispatch(env, kit.SignOff(env))
	run.WaitsAt("review")
	run.Decide("review", "ann", "reject", "prices <b>are</b> called the lowest")
	v := kit.Visit(env)
	kit.RequireEventually(t, "the judgment is listed", func() bool {
		return strings.Contains(v.Open("/judgments", "decision", "reject").Text(), "prices <b>are</b> called the lowest")
	})
	require.Contains(t, v.Open("/judgments", "decision", "approve").Text(), "No judgment is like this")
	require.Contains(t, v.Open("/patterns").Text(), "No pattern yet.")
}
