// Package rules finds the normative statements of a canonical markdown: what
// must, must not, is bounded or holds without exception.
//
// Candidates are items of lists, cells of tables and sentences of paragraphs.
// A candidate is a rule when it contains a marker word outside of quotation
// marks and is not excluded (extractor.go and markers.go), when it is a tick
// box, when the sentence that leads its list in contains a marker, or when its
// heading is itself normative. It is a pure function of the text.
//
// Some exclusions depend on verbs: whether the main one is in the past (clause.go),
// whether a participle follows must have (perfect.go), where a condition ends. The
// words of sentences with a marker are tagged for that (sentence.go, tagger.go), no
// others: a text of 20 MiB that is nothing but such sentences takes ten seconds.
//
// Precision and recall on sentences of real texts are printed by the test of
// testdata/labelled.txt.
//
// Identity reports whether two rules say the same: it survives changes of case,
// markup, bullets, typographic quotes and the closing full stop.
package rules
