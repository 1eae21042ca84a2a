// Package calibration measures how suggestions, patterns and answers fare on the labelled
// reviews of tools/calibrate: it runs that with the service's own model and puts the figures
// of both halves beside their bars. Vectors are kept from run to run, so only the first one
// takes longer.
//
// It must not know how the figures are made: names, halves and bars are those that the
// program prints.
package calibration
