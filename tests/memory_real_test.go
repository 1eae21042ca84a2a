package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// realQuestions are put in other words than the text; each names a part of the
// passage that answers it.
var realQuestions = map[string]string{
	"Can a new version of a program be rebuilt when the previous archive was thrown away but the program is on the machine?": "it can use the installed data",
	"What does the upgrade tool fetch when a delta is not available?":                                                        "download .debs for which no delta is available",
	"Which tool helps to find out what went wrong when a delta fails to apply?":                                              "debforensic may be used",
	"Why do downloading and patching run at the same time?":                                                                  "parallelize as much as possible",
	"Why not upgrade over two small steps in a row instead of one direct step?":                                              "so two deltas are 80% of the target deb",
	"Is a deb that was recreated the same as the wanted one, so that its security can be checked?":                           "identical to the desired one",
	"Can named entities be replaced by numeric ones for use in XML?":                                                         "Convert named entities to numeric entities",
	"Why is only the beginning of a delta fetched at first?":                                                                 "first 10KBs of a delta contain the info",
	"How fast were deltas applied on an old desktop computer?":                                                               "Athlon64 3000",
	"Which company makes the language binding and the cleaning library, are they related?":                                   "no affiliation between the two projects",
	"Where should I put the shared library on a Microsoft system?":                                                           "must place it in a directory on your system path",
	"How do I get a list of every setting that the markup cleaner understands?":                                              "run tidy -help-config",
	"How do I check that header and library at run time fit together?":                                                       "verify header file and run-time library consistency",
	"What does the security key library do?":                                                                                 "implements the host-side of the U2F protocol",
	"May I use the MATLAB file library in a product that I sell?":                                                            "allows for commercial, proprietary, and open source",
	"How do I open an existing data file for changing it?":                                                                   "open an existing MAT file for read and read/write access",
	"Why was the type of the array sizes changed?":                                                                           "limited the maximum size of a dimension",
	"Can an address be given to a port of the virtual network switch?":                                                       "they cannot have an IP address associated",
	"How do I let a simulated host pass packets on between its networks?":                                                    "Forwarding is not enabled by the Linux kernel",
	"Can the simulated machines reach the real internet?":                                                                    "completely disconnected from any real network",
	"Which picture formats can the drawing of the network have?":                                                             "OUTFILE can be png pdf or ps",
	"How can I see the traffic that goes through the simulated switch?":                                                      "capture traffic passing through the switch",
	"How do I keep a copy of my document before it is overwritten?":                                                          "make a backup of the original",
	"How does a uniform layout help when several people edit the same markup under version control?":                         "maintained in a version control system",
	"Which variable of the shell says where the settings of the formatter are?":                                              "environment variable XMLFORMAT_CONF",
	"How do I put empty lines between nested elements?":                                                                      "A break value of n means n newlines",
}

func TestKnowledge_RealFilesAnswerQuestionsInOtherWords(t *testing.T) {
	s := begin(t)
	files, err := filepath.Glob("../internal/extract/pdf/testdata/*.pdf")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 5)
	var sources []string
	for _, name := range files {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		sources = append(sources, s.ingestAs(map[string]any{"source": "inline", "file": inlineFile(content, pdfType)}))
	}
	chunks := 0
	for _, source := range sources {
		chunks += *s.broughtIn(source, "completed").ChunkCount
	}
	found := 0
	for question, passage := range realQuestions {
		answer := s.search(question, map[string]any{"limit": 10})
		at := slices.IndexFunc(answer.Results, func(h knowledgeHit) bool {
			return strings.Contains(strings.Join(strings.Fields(h.Text), " "), passage)
		})
		if at >= 0 {
			found++
		} else {
			t.Logf("not among the first 10: %s", question)
		}
	}
	t.Logf("%d of %d questions find their passage among %d chunks", found, len(realQuestions), chunks)
	require.GreaterOrEqual(t, len(realQuestions), 20)
	require.GreaterOrEqual(t, 10*found, 9*len(realQuestions))
}
