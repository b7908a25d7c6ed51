package words_test

import (
	"slices"
	"testing"

	"waferpair/engine/refactor/words"
)

func TestOf(t *testing.T) {
	for name, want := range map[string][]string{
		"parseHTTPRequest":   {"parse", "HTTP", "request"},
		"parse_HTTP_request": {"parse", "HTTP", "request"},
		"MAX_RETRIES":        {"max", "retries"},
		"ID":                 {"id"},
		"userID2":            {"user", "ID2"},
		"$scope":             {"scope"},
		"straßenÜbergang":    {"straßen", "übergang"},
		"_":                  nil,
		"":                   nil,
	} {
		if got := words.Of(name); !slices.Equal(got, want) {
			t.Errorf("words of %q: %q, want %q", name, got, want)
		}
	}
}

func TestSet(t *testing.T) {
	set := words.Set(" to\n\tfrom to ")
	if len(set) != 2 || !set["to"] || !set["from"] {
		t.Errorf("got %v", set)
	}
}
