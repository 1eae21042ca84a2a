// Package updates measures how soon a source whose text changed in one paragraph is found
// with its new text, and how many texts are embedded for it. It must not start or stop
// anything.
package updates
