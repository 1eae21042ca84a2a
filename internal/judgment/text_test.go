package judgment_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/judgment"
)

func TestReviewTextSaysWhatWasDecidedAndWhy(t *testing.T) {
	require.Equal(t, "reject\nToo long.", judgment.ReviewText("reject", "Too long.", "A clause."))
	require.Equal(t, "approve\nA clause.", judgment.ReviewText("approve", " \n", "A clause."))
	require.Equal(t, "approve\n"+strings.Repeat("é", 300), judgment.ReviewText("approve", "", strings.Repeat("é", 301)))
}
