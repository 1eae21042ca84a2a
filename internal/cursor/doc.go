// Package cursor makes the opaque tokens that lead from one page of a list to
// the next.
//
// A token holds the position behind which the next page begins, and a MAC that
// binds it to the workspace, the list and the filters. A changed filter, another
// workspace's token and a token altered by one character are refused alike. The
// position is readable to whoever decodes it; it must hold nothing that the page
// itself did not show.
//
// The package knows no list and no row. Pages are found by position (keyset),
// never by counting, so a position is a small struct of the sort key's values.
package cursor
