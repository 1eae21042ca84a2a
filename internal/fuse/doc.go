// Package fuse makes one ranking of several by reciprocal rank: what stands high in any of
// them stands high in the result, and what stands high in several stands higher.
//
// Only ranks count, so that lists with scores of different kinds can be fused. It must not
// know what is ranked.
package fuse
