// Package term takes words out of texts so that texts can be compared by them: the
// words themselves, their stems, and which words say nothing about a text.
//
// It knows English, as the sentence model does; a word of another language is compared
// as it stands. It must not know what the texts are.
package term
