// Package judgment knows the words in which acts of review are recorded: each
// decision is stored in one form, however its caller spells it, so that all
// spellings of a decision are found and counted together. It also has the text by which
// decision and reasoning are found by meaning.
//
// It must not know rows, requests or where a judgment came from.
package judgment
