// Package leaves measures what needs no running service: it runs benchmarks of single
// packages and makes rows of the figures that they report.
package leaves
