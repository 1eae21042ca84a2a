// Package measure is what all benchmarks measure and report with: calls from a
// number of callers or at an even rate, percentiles and medians of what they took,
// waiting until a block is done, and the table of rows with their goals.
//
// A benchmark measures blocks of both sides alternately with Spread or Evenly, makes
// a Pair of each two, and from their Medians a Row, which AtMost, AtLeast, Below and
// Above check against its goal. Report prints all rows and writes them down with the
// size of the machine and the versions.
//
// The package knows neither the service nor what it is compared with: both sides of
// a row are measured by the same code.
package measure
