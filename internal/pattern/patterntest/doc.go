// Package patterntest has what measurements of patterns share: as many judgments as a run
// takes, and the memory that is used meanwhile. It is for tests alone.
package patterntest
