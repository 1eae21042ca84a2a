// Package table turns CSV files and workbooks into canonical markdown: headings
// for sheets, and tables with a header row, in which each row of the file is a
// line.
//
// CSV finds out encoding and delimiter. Workbook reads the parts of the file that
// have cells and nothing else: it surveys their XML (survey.go) and then reads it row by
// row (cells.go). A cell is shown as its number format says, whose code is read once
// (code.go) and applied to numbers, fractions and durations (number.go, digits.go,
// ratio.go, moment.go); dates are in ISO 8601, and numbers under the general format have
// all their digits. No library that was looked at knows which section of a code a number
// takes: excelize leaves out conditions, and takes zero for a positive number.
//
// Both keep what they read within bounds and fail with the reason of the file. They
// do not bound memory and time exactly: who reads untrusted files does so in the
// package confined.
package table
