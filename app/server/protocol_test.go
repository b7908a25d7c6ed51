package server_test

import (
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"waferpair/app/server"
)

// The types of frontend/src/protocol.ts are parsed here, and every message and
// answer that a test of this package gets is checked against them: a field that
// Go forgets, misspells or sends as null where the page expects a list fails.

// tsType says whether a JSON value is of the type.
type tsType func(s *tsSchema, v any) error

type tsSchema struct {
	types  map[string]tsType
	fields map[string][]string            // of each interface
	args   map[string]map[string][]string // Commands and Reads: what each takes, as fields or names of interfaces
}

var protocol = sync.OnceValues(func() (*tsSchema, error) {
	b, err := os.ReadFile("../../frontend/src/protocol.ts")
	if err != nil {
		return nil, err
	}
	return parseSchema(string(b))
})

// validate checks a JSON value against a type of protocol.ts.
func validate(t testing.TB, name string, data []byte) {
	t.Helper()
	s, err := protocol()
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Errorf("%s: %v in %.200s", name, err, data)
		return
	}
	if err := s.types[name](s, v); err != nil {
		t.Errorf("protocol.ts: %s: %v\n%.600s", name, err, data)
	}
}

// validateRead checks the answer of a read.
func validateRead(t testing.TB, what string, data []byte) { validate(t, "Reads."+what, data) }

func TestTheProtocolIsRead(t *testing.T) {
	s, err := protocol()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, json string
		fits       bool
	}{
		{"Reply", `{"type":"reply","re":1,"ok":null}`, true},
		{"Reply", `{"type":"reply","re":"1","ok":null}`, false},
		{"Reply", `{"type":"reply","ok":null}`, false},
		{"Reply", `{"type":"reply","re":1,"other":2}`, false},
		{"Changes", `[1,[2,"a","b"],[0]]`, true},
		{"Changes", `[1,["a"]]`, false},
		{"TurnEvent", `{"t":"prose","text":"x"}`, true},
		{"TurnEvent", `{"t":"verse","text":"x"}`, false},
		{"Reads.models", `{"models":null}`, false},
		{"Reads.models", `{"models":[]}`, true},
		{"Panels", `{"tree":1,"chat":1,"timeline":1,"sizes":{"a":1}}`, true},
		{"Panels", `{"tree":1,"chat":1,"timeline":1,"sizes":{"a":"b"}}`, false},
	} {
		var v any
		if err := json.Unmarshal([]byte(c.json), &v); err != nil {
			t.Fatal(err)
		}
		if err := s.types[c.name](s, v); (err == nil) != c.fits {
			t.Errorf("%s %s: %v", c.name, c.json, err)
		}
	}
}

// What the page sends is what Go takes: every command and read is there, with
// fields of the same names.
func TestCommandsAndReadsTakeTheSameFields(t *testing.T) {
	s, err := protocol()
	if err != nil {
		t.Fatal(err)
	}
	for which, ours := range map[string]map[string][]string{"Commands": server.CommandFields(), "Reads": server.ReadFields()} {
		theirs := map[string][]string{}
		for name := range s.args[which] {
			theirs[name] = s.argsOf(which, name)
		}
		delete(ours, "build") // for scripts
		if d := cmp.Diff(theirs, ours, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: protocol.ts (-) and Go (+) differ:\n%s", which, d)
		}
	}
}
