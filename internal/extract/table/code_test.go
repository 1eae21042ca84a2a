package table

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func shown(code string, value float64, date1904 bool) string {
	return clean(parse(code).show(number{value: value}, calendar{date1904: date1904}))
}

func TestNumbersAreShownAsTheirCodesSay(t *testing.T) {
	t.Parallel()
	const accounting = `_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)`
	const euro = `_-* #,##0.00\ [$€-407]_-;\-* #,##0.00\ [$€-407]_-;_-* "-"??\ [$€-407]_-;_-@_-`
	for _, c := range []struct {
		code  string
		value float64
		want  string
	}{
		// all digits under the general format, however it is called
		{"General", 4006381333931, "4006381333931"},
		{"GENERAL", 4006381333931, "4006381333931"},
		{"", 700012345678, "700012345678"},
		{"General", 0.1 + 0.2, "0.3"},
		{"General", 1234567890.12345, "1234567890.12345"},
		{"General", -0.00001, "-0.00001"},
		{"General", 123456789012345680, "123456789012345680"},
		{"General", 1e20, "100000000000000000000"},
		{"General", 2.5e-20, "2.5E-20"},
		{"Standard", 4006381333931, "4006381333931"},
		{"General_)", 4006381333931, "4006381333931"},
		{"[$-407]General;[Red]\\-General", -4006381333931, "-4006381333931"},
		{`General" kg"`, 2900417360255, "2900417360255 kg"},
		{`"nr "General;"minus "General`, -7, "minus 7"},
		{"@", 2900417360255, "2900417360255"},
		{"General;-General", -4006381333931, "-4006381333931"},
		// sections
		{`"yes";"yes";"no"`, 1, "yes"},
		{`"yes";"yes";"no"`, -1, "yes"},
		{`"yes";"yes";"no"`, 0, "no"},
		{`0;-0;"none"`, 0, "none"},
		{`0;-0;;@`, 0, ""},
		{`0;-0;;@`, 4, "4"},
		{`0.0;[Red]-0.0`, -4.25, "-4.3"},
		{`0.0;(0.0)`, 0, "0.0"},
		{`0.00;@`, -1.5, "-1.50"},
		{`;;;`, 5, ""},
		{`"up";"down";"flat";"word"`, -3, "down"},
		{`"x"`, -1, "-x"},
		{accounting, 1234.5, "1,234.50"},
		{accounting, 0, "-"},
		{accounting, -3, "(3.00)"},
		{accounting, 0.001, "0.00"},
		{euro, 1234.5, "1,234.50 €"},
		{euro, -2, "-2.00 €"},
		{euro, 0, "-   €"},
		{`_("$"* #,##0_);_("$"* \(#,##0\);_("$"* "-"_);_(@_)`, -1234, "$(1,234)"},
		// conditions
		{`[>=100]"much";[<0]"debt";0.0`, 100, "much"},
		{`[>=100]"much";[<0]"debt";0.0`, -5, "debt"},
		{`[>=100]"much";[<0]"debt";0.0`, 7, "7.0"},
		{`[<1]"low";"high"`, 0.5, "low"},
		{`[<1]"low";"high"`, 1, "high"},
		{`[=1]"one";[=2]"two";"many"`, 2, "two"},
		{`[=1]"one";[=2]"two";"many"`, 3, "many"},
		{`[Red][<0]0;[Blue]0`, -4, "4"},
		{`[>100]0;0.0`, -4, "-4.0"},
		{`[<>0]0;"zero"`, -4, "-4"},
		{`[<>0]0;"zero"`, 0, "zero"},
		{`[<=9999999]###\-####;\(###\) ###\-####`, 5551234, "555-1234"},
		{`[<=9999999]###\-####;\(###\) ###\-####`, 2065551234, "(206) 555-1234"},
		{`[>=1000000]0.0,,"M";[>=1000]0.0,"k";0`, 2_400_000, "2.4M"},
		{`[>=1000000]0.0,,"M";[>=1000]0.0,"k";0`, 2400, "2.4k"},
		{`[<1]0.0;[>10]0`, 5, "5"},
		// digits
		{"0", 0.5, "1"},
		{"0.00", 1.005, "1.01"},
		{"0%", 0.285, "29%"},
		{"0.00", -0.001, "-0.00"},
		{"#", 0, ""},
		{"#.##", 0.5, ".5"},
		{"0.##", 5, "5."},
		{"0.0#", 5, "5.0"},
		{"0.0#", 5.25, "5.25"},
		{"#,##0", 1234567, "1,234,567"},
		{"#,##0", 12, "12"},
		{"#,##0.0", -1234.56, "-1,234.6"},
		{"0,000", 5, "0,005"},
		{"00000", 123, "00123"},
		{"000-00-0000", 12345678, "012-34-5678"},
		{"0", 4006381333931123, "4006381333931123"},
		{"#,##0,", 1234567, "1,235"},
		{`0.0,,"M"`, 1234567, "1.2M"},
		{"0.00E+00", 12345, "1.23E+04"},
		{"0.0E+0", 0.00012, "1.2E-4"},
		{"##0.0E+0", 12345, "12.3E+3"},
		{"0.00E+00", 0, "0.00E+00"},
		{"0.0E-0", 99960, "1.0E5"},
		{"0E+0", 9.6, "1E+1"},
		{`0" 0; x"`, 3, "3 0; x"},
		{`0\;`, 3, "3;"},
		{"0.00%", -0.1234, "-12.34%"},
		{`[$-409]0.0`, 1, "1.0"},
		{`[$CHF-807] #,##0.00`, 1234.5, "CHF 1,234.50"},
		{`[$₹-4009]#,##0`, 5, "₹5"},
		{`0.00"元"`, 2, "2.00元"},
		{"??0.0", 1.25, "1.3"},
		{"999", 5, "999"},
		// fractions
		{"# ?/?", 1.5, "1 1/2"},
		{"# ??/??", 3.142857142857143, "3 1/7"},
		{"?/?", 1.25, "5/4"},
		{"# ?/8", 0.375, "3/8"},
		{"# ??/100", 2.5, "2 50/100"},
		{"# ?/?", 3, "3"},
		{"# ?/?", 0, "0"},
		{"# ?/?", 0.999, "1"},
		{"# ?/?", -0.25, "-1/4"},
	} {
		require.Equal(t, c.want, shown(c.code, c.value, false), "%s of %v", c.code, c.value)
		require.Equal(t, c.want, shown(c.code, c.value, true), "%s of %v, which knows no calendar", c.code, c.value)
	}
}

func TestDurationsKnowNoCalendar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code  string
		value float64
		want  string
	}{
		{"[h]:mm", 0.5, "12:00"},
		{"[h]:mm", 1.25, "30:00"},
		{"[hh]:mm:ss", 0, "00:00:00"},
		{"[h]:mm", 510.0 / 1440, "8:30"},
		{"[h]:mm", 0.9999999999, "24:00"},
		{"[mm]:ss", 1.5 / 24, "90:00"},
		{"[s]", 1.0 / 1440, "60"},
		{"[ss].00", 1.23 / 86400, "01.23"},
		{"mm:ss", 0.001, "01:26"},
		{"mm:ss.0", 61.25 / 86400, "01:01.3"},
		{"[h]:mm;-[h]:mm", -0.75, "-18:00"},
		{"[h]:mm", -1.5, "-36:00"},
		{`[h]"h "mm"m"`, 1.0625, "25h 30m"},
		{"[h]:mm:ss;@", 2, "48:00:00"},
		{"[$-F400][h]:mm", 1, "24:00"},
		{"[h]:mm", 40000, "960000:00"},
		{"[h]", 1.9, "45"},
		{"[m]", 0.5, "720"},
	} {
		require.Equal(t, c.want, shown(c.code, c.value, false), "%s of %v", c.code, c.value)
		require.Equal(t, c.want, shown(c.code, c.value, true), "%s of %v since 1904", c.code, c.value)
	}
}

func TestMomentsAreISO(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code                 string
		value                float64
		since1900, since1904 string
	}{
		{"yyyy-mm-dd", 0, "1900-01-00", "1904-01-01"},
		{"d.m.yy", 1, "1900-01-01", "1904-01-02"},
		{"m/d/yy", 59, "1900-02-28", "1904-02-29"},
		{"m/d/yy", 60, "1900-02-29", "1904-03-01"},
		{"dd/mm/yyyy;@", 61, "1900-03-01", "1904-03-02"},
		{"mmm", 46449, "2027-03-03", "2031-03-04"},
		{"yyyy-mm-dd hh:mm", 0.5, "1900-01-00T12:00:00", "1904-01-01T12:00:00"},
		{"h:mm AM/PM", 0.75, "18:00:00", "18:00:00"},
		{"h:mm", 1.25, "06:00:00", "06:00:00"},
		{"[$-F800]dddd, mmmm dd, yyyy", 46449, "2027-03-03", "2031-03-04"},
		{"yyyy/m/d h:mm:ss", 46449.99999999, "2027-03-04T00:00:00", "2031-03-05T00:00:00"},
		{"hh:mm:ss.000", 1.5 / 86400, "00:00:01.500", "00:00:01.500"},
		{"yyyy-mm-dd", -1, "-1", "-1"},
		{"yyyy-mm-dd", 2958465, "9999-12-31", "2958465"},
		{"yyyy-mm-dd", 3e9, "3000000000", "3000000000"},
		{`yyyy"年"m"月"d"日"`, 46449, "2027-03-03", "2031-03-04"},
		{"mm", 46449, "2027-03-03", "2031-03-04"},
		{`[>0]d.m.yy;"open"`, 0, "open", "open"},
	} {
		require.Equal(t, c.since1900, shown(c.code, c.value, false), "%s of %v", c.code, c.value)
		require.Equal(t, c.since1904, shown(c.code, c.value, true), "%s of %v since 1904", c.code, c.value)
	}
}

func TestTextsAreShownAsTheirCodesSay(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"0.00": "007", "@": "007", `0;0;0;"nr "@`: "nr 007", `0;@" pcs"`: "007 pcs", "0;0;0;": "", ";;;": "", "General": "007", `_-@_-`: "007", `"a";"b";"c";"d"`: "d",
	} {
		require.Equal(t, want, clean(parse(code).text("007")), code)
	}
}

func TestCoordinatesOfCells(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]int{"A1": {1, 1}, "$B$12": {2, 12}, "xfd1048576": {16384, 1048576}, "AA10": {27, 10}} {
		column, row, found := coordinates(name)
		require.True(t, found, name)
		require.Equal(t, want, [2]int{column, row}, name)
	}
	for _, name := range []string{"", "1", "A", "A0", "A-1", "ABCD1", "Ä1", "A1048577", "A1:B2"} {
		_, _, found := coordinates(name)
		require.False(t, found, name)
	}
}

func FuzzCodes(f *testing.F) {
	f.Add(`[>=1]#,##0.0,;[h]:mm;# ?/?;"x"@`, 1.5)
	f.Add(`yyyy-mm-dd"T"hh:mm:ss.000`, 46449.3)
	f.Add(`\`, -1.0)
	f.Fuzz(func(t *testing.T, code string, value float64) {
		if len(code) > maxCode {
			return
		}
		shown(code, value, false)
		shown(code, value, true)
		parse(code).text("x")
	})
}
