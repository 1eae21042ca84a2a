// Package memory has the operations on what is remembered: judgments
// (judgments.go, judgment_record.go, judgment_delete.go, judgment_search.go,
// judgment_view.go), what they say of their users (profiles.go) and what is usually
// decided (patterns.go), and sources of knowledge with their ingestion (knowledge.go),
// their texts (knowledge_update.go), their files (upload.go, download.go) and the search
// in them (knowledge_search.go, knowledge_hybrid.go). Sources are listed in
// knowledge_list.go, their rules in knowledge_rules.go; what else is done with one is in
// knowledge_source.go.
// What is advised by judgments is in suggest.go, what is answered from both in ask.go
// and ask_retrieve.go; question.go has the vectors of questions for all of these.
// stats.go counts all of it, examples.go has the documented results.
//
// A file comes inline or by a signed address of its own, and goes out by one; the
// token of such an address is all its credentials. Files are written before the
// row that names them, so that a row never names a file that is not there.
//
// The package must not convert, cut or embed a source: it commits what is to be
// done, and workers do it. The calls to the embedder that an answer waits for are that
// of a question, and that of the sentences which may answer it.
package memory
