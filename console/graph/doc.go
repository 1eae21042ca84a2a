// Package graph lays out a directed graph from left to right, in ranks, as Sugiyama, Tagawa and
// Toda describe it (Methods for Visual Understanding of Hierarchical System Structures, 1981):
//
//	acyclic.go  edges that lead back are turned round for the layout
//	ranks.go    a node stands behind all that lead to it, by the longest way; long edges get a
//	            bend in every rank that they cross
//	order.go    nodes of a rank are ordered by the mean of their neighbours, back and forth
//	place.go    each is moved as near to its neighbours as order and distance allow
//	layout.go   edges become curves through their bends
//
// Graphviz as a library (goccy/go-graphviz 0.2.10, WebAssembly) was tried in its place: it takes 110 to
// 180 ms of a processor for the 200 steps that take 8 here, goes on when its context has ended, has one
// memory for the process that two layouts must not share, and wherever it is linked it compiles itself
// at the start for 0.8 s or runs the machine code that it finds in a folder of /tmp whose name anybody
// can guess.
//
// It knows sizes and numbers and no texts, takes time by the number of edges and the ranks that
// they cross, and returns the same for the same input. It must not import anything of ours.
package graph
