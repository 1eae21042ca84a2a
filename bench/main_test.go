package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyAWholeRunTakesThePlaceOfTheLastOne(t *testing.T) {
	for _, c := range []struct {
		named  string
		whole  bool
		folder string
	}{
		{"", true, "bench/results"},
		{"elsewhere", true, "elsewhere"},
		{"", false, ".local/bench"},
		{"elsewhere", false, "elsewhere"},
		{"bench/results", false, ".local/bench"},
		{"./bench/results/", false, ".local/bench"},
	} {
		require.Equal(t, c.folder, folderOf(c.named, c.whole), "%+v", c)
	}
}
