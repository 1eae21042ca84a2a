// Command bench measures the service and, in the same run on the same stack,
// what it is compared with: bare Temporal driven by its SDK, a bare HTTP
// handler, bare SQL. It prints a table of the ratios and writes it as last.txt beside
// last.json, which has the single blocks, the machine's size and the versions as well.
// A run of all benchmarks takes the place of the one before in bench/results; one of
// some of them, or one that failed, is written to .local/bench.
//
//	go run ./bench               everything
//	go run ./bench -only mock    the rows whose name contains "mock"; several words with commas
//	go run ./bench -out folder   where both files go instead
//	go run ./bench -stack folder keep the data there, and go on with those of a run before:
//	                             a million judgments need not be brought in at one go
//
// Each benchmark, or a few of one area, is a file here: what is asked of the service
// and which rows come of it. The other side of a row is in bench/bare, what measures
// and reports both in bench/measure, the receivers of both in bench/receiving, and what is
// ingested and asked for in bench/corpus. None of those knows this package.
//
// Both sides of a row do the same work for the caller and
// are measured in alternating short blocks, because Temporal slows down as
// its tables grow; the median of the blocks counts. Nothing is switched off for
// a measurement: the service runs with the settings of the development profile,
// whose only differences are loopback receivers and no rate limits. Postgres notes,
// for both sides, when transactions commit.
package main
