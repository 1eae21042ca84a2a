package pdf_test

import (
	"fmt"
	"strings"
	"testing"
)

const (
	begun  = "The porter of the house keeps the keys of all rooms in a box,"
	joined = begun + " and they must write it into the blue register before they leave the town."
)

// one is a paper of one page.
func one(content ...string) []byte {
	return paper("None", "", leaf{content: strings.Join(content, "")})
}

// Producers write the hyphen of a divided word in many ways, and words are divided at the
// end of columns and pages too.
func TestDividedWordsAreJoined(t *testing.T) {
	t.Parallel()
	rest := "ter before they leave the town."
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"a hyphen":              {one(set("F", 11, 72, 700, begun, "and they must write it into the blue regis-", rest)), []string{joined}},
		"a soft hyphen":         {one(set("F", 11, 72, 700, begun, `and they must write it into the blue regis\255`, rest)), []string{joined}},
		"a space behind":        {one(set("F", 11, 72, 700, begun, "and they must write it into the blue regis- ", rest)), []string{joined}},
		"a hyphen of its own":   {one("BT /F 11 Tf 14 TL 72 700 Td (" + begun + ") Tj T* (and they must write it into the blue regis) Tj (-) Tj T* (" + rest + ") Tj ET"), []string{joined}},
		"the sign for a hyphen": {paper("Other", "\u2010", leaf{content: "BT /F 11 Tf 14 TL 72 700 Td (" + begun + ") Tj T* (and they must write it into the blue regis) Tj /S 11 Tf (A) Tj /F 11 Tf T* (" + rest + ") Tj ET"}), []string{joined}},
		"at the end of a column": {
			one(set("F", 11, 40, 700, "The porter of the house", "keeps the keys of all rooms", "in a box, and the guests", "must bring them to the regis-"),
				set("F", 11, 320, 700, "ter before they leave IT-", "Sicherheit or the town of", "the brothers for a while,", "which is far.")),
			[]string{"The porter of the house keeps the keys of all rooms in a box, and the guests must bring them to the register before they leave IT-Sicherheit or the town of the brothers for a while, which is far."},
		},
		"with a capital at the end of a column": {
			one(set("F", 11, 40, 700, "The porter of the house", "keeps the keys of all rooms", "in a box, and the guests", "must bring them to IT-"),
				set("F", 11, 320, 700, "Sicherheit before they leave", "for the town of the brothers.")),
			[]string{"The porter of the house keeps the keys of all rooms in a box, and the guests must bring them to IT-Sicherheit before they leave for the town of the brothers."},
		},
		"at the end of pages, among running lines": {
			paper("None", "",
				leaf{content: set("F", 11, 72, 760, "House rules") + set("F", 11, 72, 120, begun, "and they must write it into the blue regis-") + set("F", 9, 72, 40, "Page 1")},
				leaf{content: set("F", 11, 72, 760, "House rules") + set("F", 11, 72, 700, "ter of the office for IT-") + set("F", 9, 72, 40, "Page 2")},
				leaf{content: set("F", 11, 72, 760, "House rules") + set("F", 11, 72, 700, "Sicherheit, before they leave the town.") + set("F", 9, 72, 40, "Page 3")}),
			[]string{
				"House rules", begun + " and they must write it into the blue register", "Page 1", "House rules", "of the office for IT-Sicherheit,", "Page 2",
				"House rules", "before they leave the town.", "Page 3",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireBlocks(t, c.want, c.file)
		})
	}
}

// A page says the same however it is turned, and whether a viewer turns it back or not.
func TestTurnedPagesReadAsUprightOnes(t *testing.T) {
	t.Parallel()
	content := set("B", 16, 72, 520, "Night watch") + set("F", 11, 72, 480, begun, "and the guests must bring them back to him, be-", "fore they leave.") +
		set("F", 11, 72, 420, "- One must go.", "- Two must stay.")
	want := []string{"# Night watch", begun + " and the guests must bring them back to him, before they leave.", "- One must go.", "- Two must stay."}
	corners := [][2]int{{0, 0}, {600, 0}, {600, 800}, {0, 800}}
	for quarters, corner := range corners {
		around := turned(quarters, corner[0], corner[1], content)
		for _, rotate := range []int{0, 90, 180, 270} {
			t.Run(fmt.Sprintf("drawn %d quarters, shown %d degrees", quarters, rotate), func(t *testing.T) {
				t.Parallel()
				requireBlocks(t, want, paper("None", "", leaf{around, rotate}))
			})
		}
	}
}

// What stands sideways on an upright page is read in its own direction, and nothing of it
// among the lines beside it.
func TestSidewaysBlocksStandForThemselves(t *testing.T) {
	t.Parallel()
	places := [][2]int{1: {420, 480}, 2: {560, 500}, 3: {420, 700}}
	for quarters := 1; quarters < 4; quarters++ {
		block := turned(quarters, places[quarters][0], places[quarters][1], set("F", 11, 0, 0, "This side of the chart", "must never be cut off", "by the printer."))
		requireBlocks(t, []string{
			"# Night watch", "The watchman begins his round at ten and must try the lock of each door.", "- One must go.", "- Two must stay.", "- Three must come.",
			"This side of the chart must never be cut off by the printer.",
		}, one(set("B", 16, 72, 760, "Night watch"), set("F", 11, 72, 720, "The watchman begins his round at ten and must try", "the lock of each door."), block,
			set("F", 11, 72, 680, "- One must go.", "- Two must stay.", "- Three must come.")))
	}
	requireBlocks(t, []string{"Key", "Rope 5 7", "Chain 6 8", "Weight", "Length"},
		one(set("F", 11, 72, 700, "Key"), turned(1, 160, 700, set("F", 11, 0, 0, "Weight")), turned(1, 220, 700, set("F", 11, 0, 0, "Length")),
			set("F", 11, 72, 680, "Rope"), set("F", 11, 150, 680, "5"), set("F", 11, 210, 680, "7"),
			set("F", 11, 72, 660, "Chain"), set("F", 11, 150, 660, "6"), set("F", 11, 210, 660, "8")))
}

// inHebrew is a text in which a to z stand for Hebrew letters.
func inHebrew(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 0x5d0 + r - 'a'
		}
		return r
	}, text)
}

// The files say how a line looks from left to right; a to z are Hebrew.
func TestLinesFromRightToLeftComeAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for looks, want := range map[string]string{
		"f (ISO 9001) ed 12.5 cba": "abc 12.5 de (ISO 9001) f",
		"f )ISO 9001( ed 12.5 cba": "abc 12.5 de (ISO 9001) f", // as it is meant
		"gfe (dcb) a [3]":          "[3] a (bcd) efg",
		"gfe )dcb( a ]3[":          "[3] a (bcd) efg",
		"fe 01/02/2031 dcba":       "abcd 01/02/2031 ef",
		"ed 10:30-12:45 cba":       "abc 10:30-12:45 de",
		"cba 1,234.56$ fed":        "def 1,234.56$ abc",
		".gfe dcba .1":             "1. abcd efg.",
		"ed WORD 2.0 cba":          "abc WORD 2.0 de",
		"WORD dcba .2":             "2. abcd WORD",
		"ed 50% cba":               "abc 50% de",
		".A@B.ORG fed cba":         "abc def A@B.ORG.",
		"fe [3] d (cba":            "abc) d [3] ef",
		"fe 050-123-4567 cba":      "abc 050-123-4567 ef",
		`?fe "dc" ba`:              `ab "cd" ef?`,
	} {
		requireBlocks(t, []string{inHebrew(want), inHebrew("abcd efgh ijkl mnop qrst uvwx")}, one(set("H", 11, 72, 700, looks), set("H", 11, 72, 600, "xwvu tsrq ponm lkji hgfe dcba")))
	}
}

// A stamp across the page heads nothing and goes into no line.
func TestStampsStandBehindTheText(t *testing.T) {
	t.Parallel()
	first, second := set("F", 11, 72, 420, "The watchman begins his round"), set("F", 11, 72, 406, "and must try the doors.")
	for _, font := range []string{"F", "B"} {
		stamp := "BT /" + font + " 40 Tf 0.707 0.707 -0.707 0.707 100 300 Tm (DRAFT) Tj ET "
		for _, content := range []string{stamp + first + second, first + stamp + second, first + second + stamp} {
			requireBlocks(t, []string{"# Night watch", "The watchman begins his round and must try the doors.", "DRAFT"}, one(set("B", 16, 72, 520, "Night watch"), content))
		}
	}
}

// Where a page is read from the right, so is a line of it in which most letters are not.
func TestLinesFromRightToLeftMayHaveMoreOtherLetters(t *testing.T) {
	t.Parallel()
	filling := set("H", 11, 72, 600, "xwvu tsrq ponm lkji hgfe dcba", "tsrq ponm lkji hgfe dcba")
	for looks, want := range map[string]string{
		"fe SERVER SYSTEM dcba": "abcd SERVER SYSTEM ef", "SERVER SYSTEM cba": "abc SERVER SYSTEM", "cba WORD, OTHER fed": "def WORD, OTHER abc",
		"SERVER SYSTEM 5 cba": "abc SERVER SYSTEM 5", ".SERVER-SYSTEM 2.0 dcba .1": "1. abcd SERVER-SYSTEM 2.0.",
	} {
		requireBlocks(t, []string{inHebrew(want), inHebrew("abcd efgh ijkl mnop qrst uvwx"), inHebrew("abcd efgh ijkl mnop qrst")}, one(set("H", 11, 72, 700, looks), filling))
	}
	requireBlocks(t, []string{"The sign is " + inHebrew("abc") + " and no other", "All of it is " + inHebrew("abc")},
		one("BT /F 11 Tf 72 700 Td (The sign is ) Tj /H 11 Tf (cba) Tj /F 11 Tf ( and no other) Tj ET BT /F 11 Tf 72 600 Td (All of it is ) Tj /H 11 Tf (cba) Tj ET"))
}

func TestDirectionsMayBeMixed(t *testing.T) {
	t.Parallel()
	requireBlocks(t, []string{"The sign " + inHebrew("abc") + " means (shut) 12.5 and (" + inHebrew("abc 3 def") + "). It is old."},
		one("BT /F 11 Tf 72 700 Td (The sign ) Tj /H 11 Tf (cba) Tj /F 11 Tf ( means \\(shut\\) 12.5 and ) Tj /H 11 Tf (\\(fed 3 cba\\)) Tj /F 11 Tf (. It is old.) Tj ET"))
	requireBlocks(t, []string{inHebrew("abc 12.5 def (ghi) jkl mno pqrstuvwx")}, one("BT /H 11 Tf 1 0 0 1 500 700 Tm (cba) Tj 1 0 0 1 470 700 Tm (12.5) Tj "+
		"1 0 0 1 440 700 Tm (fed) Tj 1 0 0 1 400 700 Tm (\\(ihg\\)) Tj 1 0 0 1 435 686 Tm (xwvutsrqp onm lkj) Tj ET"))
	right := "BT /H 11 Tf 1 0 0 1 300 700 Tm (xwvu tsrq ponm lkji hgfe dcba) Tj 1 0 0 1 317 686 Tm (xwvu tsrq ponm lkji hgfe cba) Tj " +
		"1 0 0 1 360 640 Tm (dcba hgfe lkji ponm .1) Tj 1 0 0 1 365 626 Tm (cba hgfe lkji ponm .2) Tj ET"
	requireBlocks(t, []string{inHebrew("abcd efgh ijkl mnop qrst uvwx abc efgh ijkl mnop qrst uvwx"), inHebrew("1. mnop ijkl efgh abcd"), inHebrew("2. mnop ijkl efgh abc")}, one(right))
}

// Fonts have the letters of Arabic as they are written alone, in their forms, or joined.
func TestArabicIsReadFromItsLettersAndFromItsForms(t *testing.T) {
	t.Parallel()
	filling := "Some more words of the house."
	for signs, want := range map[string]string{
		"\u0633\ufefb\u0645": "\u0633\u0644\u0627\u0645", "\ufeb3\ufefc\ufee1": "\u0633\u0644\u0627\u0645", "\u0633\u0644\u0645": "\u0633\u0644\u0645",
	} {
		requireBlocks(t, []string{want + " 2031/02/01 " + want, filling}, paper("Other", signs, leaf{
			content: "BT /S 11 Tf 72 700 Td (CBA) Tj /F 11 Tf ( 2031/02/01 ) Tj /S 11 Tf (CBA) Tj ET " + set("F", 11, 72, 500, filling),
		}))
	}
}

const (
	lead  = "Never do the following near the saw or any other machine:"
	after = "The saw stands in the east corner of the hall."
)

// listed is a list whose marks are drawn as given, each one apart from its text.
func listed(marks ...string) string {
	items := []string{"wearing of loose sleeves", "reaching over the blade", "leaving the motor on", "standing still"}
	var content strings.Builder
	content.WriteString(set("F", 11, 72, 700, lead))
	for i, mark := range marks {
		fmt.Fprintf(&content, "q 1 0 0 1 72 %d cm %s Q\n%s", 680-16*i, mark, set("F", 11, 90, 680-16*i, items[i]))
	}
	return content.String() + set("F", 11, 72, 580, after)
}

func TestBulletsOfAllKindsBeginItems(t *testing.T) {
	t.Parallel()
	items := []string{lead, "- wearing of loose sleeves", "- reaching over the blade", after}
	mark := func(font string, size int, rise, text string) string {
		return fmt.Sprintf("BT /%s %d Tf 0 %s Td (%s) Tj ET", font, size, rise, text)
	}
	for _, sign := range "\uf0a7\uf0a8\uf0fc\uf0d8\uf076\uf06e\uf071\uf0b7\ue00c\u2714\u27a2\u2043\u25aa\u2192\u25cf\u2756•◦§Øvü" {
		requireBlocks(t, items, paper("ABCDEF+Wingdings-Regular", string(sign), leaf{content: listed(mark("S", 11, "0", "A"), mark("S", 11, "0", "A"))}))
	}
	for _, drawn := range []string{
		mark("C", 11, "0", "o"), mark("F", 18, "-1", `\225`), mark("F", 6, "3", `\225`), mark("F", 11, "-4", `\225`), mark("F", 11, "0", `\267`), mark("F", 11, "0", "*"), mark("F", 11, "0", `\226`),
	} {
		requireBlocks(t, items, one(listed(drawn, drawn)))
	}
	requireBlocks(t, []string{lead, "- [ ] wearing of loose sleeves", "- [x] reaching over the blade", after},
		paper("Wingdings", "☐☒", leaf{content: listed(mark("S", 11, "0", "A"), mark("S", 11, "0", "B"))}))
	requireBlocks(t, []string{"You must never use:", "- wool", "- silk"}, one(set("F", 11, 72, 700, "You must never use:", `\225wool`, `\225silk`)))
	requireBlocks(t, []string{lead, "① wearing of loose sleeves", "② reaching over the blade", after},
		paper("Other", "①②", leaf{content: listed(mark("S", 11, "0", "A"), mark("S", 11, "0", "B"))}))
	texts := set("F", 11, 90, 686, "wool of the sheep", "silk of the moth", "flax of the field")
	requireBlocks(t, []string{"You must never use:", "- wool of the sheep", "- silk of the moth", "- flax of the field"},
		one(set("F", 11, 72, 700, "You must never use:"), texts, set("F", 11, 72, 686, `\225`, `\225`, `\225`)))
	requireBlocks(t, []string{"You must never use:", "1. wool of the sheep", "2. silk of the moth", "3. flax of the field"},
		one(set("F", 11, 72, 700, "You must never use:"), set("F", 11, 72, 686, "1.", "2.", "3."), texts))
}

func TestNumbersAndLettersOfAllDepthsBeginItems(t *testing.T) {
	t.Parallel()
	texts := []string{"The hirer must return each boat before sunset", "each boat must be checked within two days of its", "Damaged boats must be marked", "lamps must be out"}
	for _, marks := range []string{
		"a) b) c)", "(a) (b) (c)", "A. B. C.", "a. b. c.", "A) B) C)", "i) ii) iii)", "(i) (ii) (iii) (iv)", "I. II. III. IV.", "iv. v. vi.", "1.1 1.2 1.2.1 1.3",
		"1.1. 1.2. 1.2.1. 2.", "1. a) b) 2.", "A.1 A.2 A.2.1 B.1", "1) 2) 3)", "(1) (2)", "10. 11. 12.", "2.a 2.b", "1.a) 1.b)", "1.9 1.10 1.10.1 2.1",
		"A1 A2 A3 B1", "A1. A2. B1.", "1-1 1-2 2-1 3-1", "A-1 A-2 B-1", "2a) 2b) 2c)", "aa) bb) cc)", "AA. BB. CC.", "1 2 3 4", "1.1.1.1 1.1.1.2 1.1.2.1", "xi) xii) xiii)", `\2471 \2472 \2473`,
	} {
		var lines, want []string
		for i, mark := range strings.Fields(marks) {
			lines, want = append(lines, mark+" "+texts[i]), append(want, strings.ReplaceAll(mark, `\247`, "§")+" "+texts[i])
			if i == 1 {
				lines, want[1] = append(lines, "return to the owner"), want[1]+" return to the owner"
			}
		}
		requireBlocks(t, want, one(set("F", 11, 72, 700, lines...)))
	}
}

// What a line of a paragraph begins with by chance is no mark.
func TestAParagraphStaysOneWhateverItsLinesBeginWith(t *testing.T) {
	t.Parallel()
	first, last := "The jetty of the yard has room for nine boats, which lie at", "They stay for the whole of the winter and longer than that."
	for _, chance := range []string{"2.5 metres from each", "12. May of the", "J. Smith and", "A. Smith and", "1.2 the fees are named", "- or so they say -", "I. Kant wrote it", "(see there)", "b) of the list", "10.30 Uhr", "A4 sheets from", "1-3 of the rules", "Article 5 of it", "3 Chains or so", "1 May of the year", "F30 The road", "* as they say *"} {
		second := chance + " and the fees hang in the old office, where"
		requireBlocks(t, []string{first + " " + second + " " + last}, one(set("F", 11, 72, 700, first, second, last)))
	}
}

// An item ends where its lines do.
func TestWhatFollowsAnItemIsNoneOfIt(t *testing.T) {
	t.Parallel()
	requireBlocks(t, []string{"1. The hirer must:", "a) return each boat before sunset on the same day, and must tell the yard of damages,", "b) pay the fee.", "2. The yard must check the boats.", "Boats are blue."},
		one(set("F", 11, 72, 700, "1. The hirer must:"), set("F", 11, 90, 686, "a) return each boat before sunset on the same day, and must tell the", "   yard of damages,", "b) pay the fee."),
			set("F", 11, 72, 644, "2. The yard must check the boats."), set("F", 11, 72, 630, "Boats are blue.")))
	requireBlocks(t, []string{"## A. Scope", "All boats must be tied.", "## B. Duties", "All boats must be dry.", "# IV. More", "All boats must be blue."},
		one(set("B", 11, 72, 740, "A. Scope"), set("F", 11, 72, 720, "All boats must be tied."), set("B", 11, 72, 690, "B. Duties"), set("F", 11, 72, 670, "All boats must be dry."),
			set("B", 18, 72, 640, "IV. More"), set("F", 11, 72, 620, "All boats must be blue.")))
}

func TestALargeFirstLetterJoinsItsWord(t *testing.T) {
	t.Parallel()
	second := "bank at seven, and the mate calls the passengers with"
	rest := set("F", 11, 72, 672, "a bell. Every passenger must tie a bicycle to the rail.")
	beside := func(first string) string { return set("F", 11, 100, 700, first, second) }
	end := " " + second + " a bell. Every passenger must tie a bicycle to the rail."
	ferry := "he ferry leaves the north bank at six and the south"
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"of two lines":         {one(set("F", 32, 72, 686, "T"), beside(ferry), rest), "T" + ferry},
		"drawn last":           {one(beside(ferry), rest, set("F", 32, 72, 686, "T")), "T" + ferry},
		"before capitals":      {one(set("F", 32, 72, 686, "T"), beside("HE FERRY leaves the north bank at six"), rest), "THE FERRY leaves the north bank at six"},
		"raised":               {one("BT /F 32 Tf 72 700 Td (T) Tj /F 11 Tf ("+ferry+") Tj ET ", set("F", 11, 72, 686, second), rest), "T" + ferry},
		"in a quotation":       {one(set("F", 32, 72, 686, `\223T`), beside(ferry+`\224`), rest), "“T" + ferry + "”"},
		"a word, with a space": {one(set("F", 32, 72, 686, "A"), beside(" ferry leaves the north bank at six"), rest), "A ferry leaves the north bank at six"},
		"a word, set apart":    {one(set("F", 32, 72, 686, "A"), set("F", 11, 103, 700, "ferry leaves the north bank at six"), set("F", 11, 100, 686, second), rest), "A ferry leaves the north bank at six"},
		"of a word with A":     {one(set("F", 32, 72, 686, "A"), beside("ll ferries leave the north bank at six"), rest), "All ferries leave the north bank at six"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireBlocks(t, []string{c.want + end}, c.file)
		})
	}
	requireBlocks(t, []string{"# A", "Apples and what else there is", "# B", "Boats and bells of the ferry"},
		one(set("F", 18, 72, 700, "A"), set("F", 11, 72, 680, "Apples and what else there is"), set("F", 18, 72, 610, "B"), set("F", 11, 72, 590, "Boats and bells of the ferry")))
}

// Boxes of plain text, numbers in brackets and paragraphs of contracts begin items, each beside
// others of its kind.
func TestMarksOfFormsAndContractsBeginItems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lines, want []string }{
		"boxes":      {[]string{"[ ] Guests must pay in advance", "[x] Guests must leave at noon"}, []string{"- [ ] Guests must pay in advance", "- [x] Guests must leave at noon"}},
		"brackets":   {[]string{"[1] Guests must pay in advance", "[2] Guests must leave at noon"}, []string{"[1] Guests must pay in advance", "[2] Guests must leave at noon"}},
		"paragraphs": {[]string{"\\247 1 Guests must pay in advance", "\\247 2 Guests must leave at noon"}, []string{"§ 1 Guests must pay in advance", "§ 2 Guests must leave at noon"}},
		"articles":   {[]string{"Article 1 Guests must pay in advance", "Article 2 Guests must leave at noon"}, []string{"Article 1 Guests must pay in advance", "Article 2 Guests must leave at noon"}},
		"glued":      {[]string{"1.Guests must pay in advance", "2.Guests must leave at noon"}, []string{"1.Guests must pay in advance", "2.Guests must leave at noon"}},
		"references": {[]string{"Guests must pay in advance for their rooms, as it is said in", "[4] and in", "\\247 4 of the contract."}, []string{"Guests must pay in advance for their rooms, as it is said in [4] and in § 4 of the contract."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireBlocks(t, c.want, one(set("F", 11, 72, 700, c.lines...)))
		})
	}
}
