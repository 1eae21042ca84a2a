package numbering

import (
	"slices"
	"strconv"
	"strings"
)

// Kinds of steps: numbers, capital and small letters.
const (
	Number  = "1"
	Capital = "A"
	Small   = "a"
)

// IsNumber reports whether a step is a number.
func IsNumber(step string) bool { return step[0] >= '0' && step[0] <= '9' }

// Kind returns the kind of a step.
func Kind(step string) string {
	switch {
	case IsNumber(step):
		return Number
	case step[0] <= 'Z':
		return Capital
	default:
		return Small
	}
}

// letters are those that steps count with; behind the last one they are doubled.
const letters = 26

// doubled reports whether a step is a letter twice.
func doubled(step string) bool { return len(step) == 2 && step[0] == step[1] && !IsNumber(step) }

// First reports whether a step may be the first one of its kind. Letters may begin doubled.
func First(step string) bool {
	return slices.Contains(Places(step), 1) || doubled(step) && step[0]|0x20 == 'a'
}

// Places returns which ones of its kind a step may be: i is the ninth letter and the first
// Roman number. What is neither has none.
func Places(step string) []int {
	if IsNumber(step) {
		n, err := strconv.Atoi(step)
		if err != nil {
			return nil
		}
		return []int{n}
	}
	var all []int
	if len(step) == 1 {
		all = append(all, int(step[0]|0x20-'a')+1)
	}
	if doubled(step) {
		all = append(all, letters+int(step[0]|0x20-'a')+1)
	}
	if n, is := romans[strings.ToLower(step)]; is {
		all = append(all, n)
	}
	return all
}

// Written returns the ways to write a place as a step of the kind of another one.
func Written(place int, like string) []string {
	if IsNumber(like) {
		return []string{strconv.Itoa(place)}
	}
	var ways []string
	if place >= 1 && place <= 2*letters {
		ways = append(ways, strings.Repeat(string(rune('a'+(place-1)%letters)), 1+(place-1)/letters))
	}
	if place >= 1 && place < len(roman) {
		ways = append(ways, roman[place])
	}
	if Kind(like) == Capital {
		for i := range ways {
			ways[i] = strings.ToUpper(ways[i])
		}
	}
	return ways
}

// roman are the Roman numbers below 90 by their values, romans their values.
var roman, romans = romanNumbers()

func romanNumbers() (roman []string, values map[string]int) {
	values = map[string]int{}
	tens := []string{"", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx"}
	ones := []string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}
	for _, ten := range tens {
		for _, one := range ones {
			values[ten+one] = len(roman)
			roman = append(roman, ten+one)
		}
	}
	delete(values, "")
	return roman, values
}
