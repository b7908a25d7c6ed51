package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// cmdJSONIs compares JSON lines. Times and timings differ between runs, so only their form
// is compared.
func cmdJSONIs(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "jsonis FILE WANT")
	got, want := jsonLines(ts, args[0]), jsonLines(ts, args[1])
	if d := cmp.Diff(want, got); d != "" {
		ts.Fatalf("%s is not %s (-want +got):\n%s", args[0], args[1], d)
	}
}

// jsonLines returns the lines of a file as JSON with sorted keys and without times.
func jsonLines(ts *testscript.TestScript, name string) []string {
	var out []string
	for line := range strings.Lines(ts.ReadFile(name)) {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			ts.Fatalf("%s: %v in the line\n%s", name, err, line)
		}
		b, err := json.Marshal(timeless("", v))
		ts.Check(err)
		out = append(out, string(b))
	}
	return out
}

// timeless replaces values that depend on the clock by their kind.
func timeless(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if key == "timing" {
				v[k] = kind(x)
			} else {
				v[k] = timeless(k, x)
			}
		}
		return v
	case []any:
		for i, x := range v {
			v[i] = timeless("", x)
		}
		return v
	case string:
		if _, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return "TIME"
		}
	}
	return v
}

// kind returns the kind of a JSON value. In WANT, a string names the kind.
func kind(x any) any {
	if s, named := x.(string); named {
		return s
	}
	return fmt.Sprintf("%T", x)
}

// cmdAnswer makes a script model that answers with a patch. The text comes in small chunks,
// as from a model.
func cmdAnswer(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "answer FILE PATCH")
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	ts.Check(sayAll(f, ts.ReadFile(args[1])))
}

const chunk = 7

func sayAll(f *os.File, s string) error {
	enc := json.NewEncoder(f)
	for at := 0; at < len(s); at += chunk {
		if err := enc.Encode(map[string]string{"text": s[at:min(at+chunk, len(s))]}); err != nil {
			return err
		}
	}
	return nil
}
