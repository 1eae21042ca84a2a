// Package console tells a person what the development stack is doing.
//
// Sayf prints a line. Step stands for something slow: on a terminal all open
// steps share one line that is painted again, elsewhere (a log, a test) a step
// prints its beginning, a sign of life every ten seconds, and its end with the
// time it took. All methods may be called from several goroutines at once.
package console
