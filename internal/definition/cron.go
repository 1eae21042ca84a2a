package definition

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cronField is one of the five fields of a cron line.
type cronField struct {
	name      string
	low, high int
	// words are the names of the values from low on.
	words []string
}

var cronFields = []cronField{
	{name: "minute", low: 0, high: 59},
	{name: "hour", low: 0, high: 23},
	{name: "day of month", low: 1, high: 31},
	{name: "month", low: 1, high: 12, words: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{name: "day of week", low: 0, high: 7, words: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// checkCron gives what is wrong with a line of five fields in the standard
// notation: lists of values, ranges and steps, names of months and weekdays.
// Seconds, @daily and zone prefixes are no part of it.
func checkCron(line string) error {
	fields := strings.Fields(line)
	if len(fields) != len(cronFields) {
		return fmt.Errorf("a cron line has %d fields, not %d", len(cronFields), len(fields))
	}
	for i, text := range fields {
		for item := range strings.SplitSeq(text, ",") {
			if err := cronFields[i].check(item); err != nil {
				return fmt.Errorf("%s: %w", cronFields[i].name, err)
			}
		}
	}
	return nil
}

// check reads a star, a value or a range, each with or without a step.
func (f cronField) check(item string) error {
	item, step, stepped := strings.Cut(item, "/")
	if stepped {
		if n, err := number(step); err != nil || n < 1 || n > f.high {
			return fmt.Errorf("%q is no step", step)
		}
	}
	if item == "*" {
		return nil
	}
	first, last, ranged := strings.Cut(item, "-")
	low, err := f.value(first)
	if err != nil || !ranged {
		return err
	}
	high, err := f.value(last)
	if err == nil && high < low {
		return fmt.Errorf("the range %q goes backwards", item)
	}
	return err
}

func (f cronField) value(text string) (int, error) {
	if i := slices.Index(f.words, strings.ToLower(text)); i >= 0 {
		return f.low + i, nil
	}
	n, err := number(text)
	if err != nil || n < f.low || n > f.high {
		return 0, fmt.Errorf("%q is not %d to %d", text, f.low, f.high)
	}
	return n, nil
}

// number reads digits only: no sign, no white space.
func number(text string) (int, error) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, errors.New("not a number")
	}
	return strconv.Atoi(text)
}
