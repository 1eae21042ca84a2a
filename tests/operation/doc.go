// Package operation tests the whole program: its start by redline-dev and make, its end,
// outages of what it depends on, random kills, and one test through everything.
// What it is written with is package kit.
package operation
