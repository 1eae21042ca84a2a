// Package linear holds that a function takes time in proportion to its input: a text of
// sixteen times the length may take forty times as long, where a function whose time
// grows with the square takes 256 times as long. The time is that of the processor, so
// what else the machine does plays no part where the system counts it by thread.
package linear
