package window

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain removes characters by which a project's or model's text could disguise itself outside
// the page: control characters and invisible ones (bidi overrides, zero-width). Line breaks
// become spaces.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

// cut shortens s for a notification, between two characters.
func cut(s string) string {
	if len(s) <= mostText {
		return s
	}
	end := mostText
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// title returns the window's title, such as "project — Waferpair".
func title(wanted string) string {
	if wanted = strings.TrimSpace(cut(plain(wanted))); wanted == "" {
		return name
	}
	return wanted
}

var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escapeMarkup escapes text that notification servers would take for HTML.
func escapeMarkup(s string) string { return markup.Replace(s) }
