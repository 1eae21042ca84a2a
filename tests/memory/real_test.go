package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

// realQuestions are put in other words than the text; each names a part of the
// passage that answers it.
var realQuestions = map[string]string{
	"What does a member have to bring back after the harvest?":                                       "returns twice as many seeds as were taken",
	"Can named entities be replaced by numeric ones for use in XML?":                                 "Convert named entities to numeric entities",
	"Which kinds are the easiest for people who have never gardened?":                                "lettuce and tomatoes pollinate themselves",
	"Why must pumpkins of different varieties be kept far apart?":                                    "insects carry the pollen from one to the other",
	"How warm may it be where the jars are kept?":                                                    "between four and eight degrees",
	"What keeps the inside of a jar dry?":                                                            "small bag of dry rice",
	"After how many years is the seed of onions dead?":                                               "rarely alive after the second winter",
	"How can I find out whether old seeds still sprout?":                                             "wrap ten of them in a damp paper towel",
	"What happens with varieties that no one asks for any more?":                                     "sown on the trial bed",
	"Which company makes the language binding and the cleaning library, are they related?":           "no affiliation between the two projects",
	"Where should I put the shared library on a Microsoft system?":                                   "must place it in a directory on your system path",
	"How do I get a list of every setting that the markup cleaner understands?":                      "run tidy -help-config",
	"How do I check that header and library at run time fit together?":                               "compare the version of the header with that of the loaded library",
	"What does the library for the weather mast do?":                                                 "reads the sensors of a weather mast over a serial line",
	"May I use the MATLAB file library in a product that I sell?":                                    "allows for commercial, proprietary, and open source",
	"How do I open an existing data file for changing it?":                                           "open an existing MAT file for read and read/write access",
	"Why was the type of the array sizes changed?":                                                   "limited the maximum size of a dimension",
	"Can a moisture limit be given to a distributor of water?":                                       "A manifold has no sensor of its own",
	"How do I let one controller pass its readings on to another?":                                   "Forwarding is switched off until a relay line allows it",
	"Can a rehearsal open the real valves?":                                                          "completely disconnected from the pumps and valves",
	"Which picture formats can the drawing of the beds have?":                                        "can be written as png, svg or pdf",
	"How can I see what is sent between the devices?":                                                "prints every message that passes the bus",
	"How do I keep a copy of my document before it is overwritten?":                                  "make a backup of the original",
	"How does a uniform layout help when several people edit the same markup under version control?": "maintained in a version control system",
	"Which variable of the shell says where the settings of the formatter are?":                      "environment variable XMLFORMAT_CONF",
	"How do I put empty lines between nested elements?":                                              "A break value of n means n newlines",
}

func TestKnowledge_RealFilesAnswerQuestionsInOtherWords(t *testing.T) {
	env := kit.NewWorkspace(t)
	files, err := filepath.Glob("../../internal/extract/pdf/testdata/*.pdf")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 5)
	var sources []string
	for _, name := range files {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		sources = append(sources, kit.IngestAs(env, map[string]any{"source": "inline", "file": kit.InlineFile(content, pdfType)}))
	}
	chunks := 0
	for _, source := range sources {
		chunks += int(kit.BroughtIn(env, source, "completed").ChunkCount)
	}
	found := 0
	for question, passage := range realQuestions {
		answer := kit.Search(env, question, map[string]any{"limit": 10})
		at := slices.IndexFunc(answer.Results, func(h redline.KnowledgeHit) bool {
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
