// Package pattern finds out what reviewers usually decide: judgments about like
// things are gathered in clusters, and a cluster whose votes agree is a pattern.
//
// The distance of two judgments is the mean of the cosine distances of their two
// vectors, or that of the review vectors alone where one of the two has no content. It is
// less where the two are nearer to each other than judgments of their scope are to either:
// how far apart what is unrelated lies differs from one scope to another, and from judgment
// to judgment. Two of three have to agree on that, which are review, content and the words
// of the reasonings (usual.go, shared.go).
// Clusters come from average linkage: the two nearest clusters are joined as long as
// the mean distance of their members is at most a threshold. Within a cluster a
// reviewer has one vote about one document. Three votes, three quarters of them
// agreeing, make a pattern. A new pattern is an old one if it shares enough of its
// members.
//
// Distances are computed in blocks by gonum. It has no clustering, so the
// nearest-neighbour chain in chain.go is our own: it takes time by the square of the
// judgments, and one number of memory for each two of them.
//
// Nothing here is random, and judgments are put in order first: the same judgments
// give the same patterns, in whatever order they come.
//
// It must not know rows, requests, models or where vectors are kept, and it must not
// choose judgments: whoever calls gives those of one scope.
package pattern
