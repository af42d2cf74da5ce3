package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// oneLine is an error for a terminal: joined errors are separated by semicolons,
// and what a file name may hold is not passed on as control characters.
func oneLine(err error) string {
	var parts []string
	for _, line := range strings.Split(err.Error(), "\n") {
		if line := strings.Join(strings.Fields(line), " "); line != "" {
			parts = append(parts, line)
		}
	}
	return escaped(strings.Join(parts, "; "))
}

// escaped replaces what cannot be printed by Go's escapes.
func escaped(text string) string {
	var b strings.Builder
	for i, c := range text {
		switch {
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[i]), 16))
		case !unicode.IsPrint(c):
			b.WriteString(strings.Trim(strconv.QuoteRune(c), "'"))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// plainName is a file name as it is, or quoted if it could not be told from
// another one, or not be printed.
func plainName(name string) string {
	quoted := strconv.Quote(name)
	if quoted != `"`+name+`"` || strings.Join(strings.Fields(name), " ") != name {
		return quoted
	}
	return name
}
