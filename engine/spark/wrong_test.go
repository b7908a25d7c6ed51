package spark

import (
	"strings"
	"testing"

	"waferpair/engine/model"
)

// Requests after which the model once edited wrongly. Whatever their wording, they
// change nothing, or just what they ask for.

const ownPrints = `
-- go.mod --
module example.com/m

go 1.24
-- cmd/main.go --
package main

import (
	"fmt"
	"os"
)

func load(name string) {
	fmt.Println("reading", name)
	if _, err := os.Stat(name); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func main() { load("a") }
-- app.py --
import sys


def run_all(rows):
    print("usage: app ROWS")
    try:
        print(len(rows))
    except ValueError as err:
        print(err)
        sys.exit(1)
-- app.ts --
export function show(url: string): void {
  console.log("fetching", url);
  if (!url) {
    console.log("no address given");
    process.exit(1);
  }
}
`

// TestOwnMessagesStay: a print without evidence is asked about; each choice acts.
func TestOwnMessagesStay(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	p := projectOf(t, ownPrints)
	defer slowly()()
	for _, what := range []string{
		"remove debug prints %s", "remove the debugging output %s", "strip all debug prints %s",
		"delete debug print statements %s",
		// not fitted to
		"please get rid of the debug output %s", "clean up the debug printing %s", "drop any debug prints %s",
		"kill the debug println %s", "can you remove the print debugging %s?", "clear out debug statements %s",
		"take out the debugging prints %s", "erase the debug prints %s thanks", "no more debug prints %s",
		"I want the debug logs gone %s", "throw away the debug printouts %s", "debug prints %s should go",
	} {
		for _, where := range []string{"from load", "in run_all", "from app.py", "in cmd/main.go", "from show", "in app.ts"} {
			request := strings.Replace(what, "%s", where, 1)
			out := ask(t, p, request)
			if len(out.edits) > 0 || out.refusal == nil {
				t.Errorf("%q: %d edits, %v", request, len(out.edits), out.err)
			}
		}
	}
	for where, want := range map[string]int{"load": 2, "run_all": 3, "app.ts": 2} {
		out := ask(t, p, "remove debug prints from "+where)
		if out.refusal == nil || out.refusal.Code != model.Ambiguous || len(out.refusal.Candidates) < want {
			t.Fatalf("%s: %v, want %d choices", where, out.err, want)
		}
		for _, c := range out.refusal.Requests() {
			if took := ask(t, p, c); took.err != nil || len(took.edits) != 1 {
				t.Errorf("%q does %d edits: %v", c, len(took.edits), took.err)
			}
		}
	}
}

const errorsBothWays = `
-- go.mod --
module example.com/m

go 1.24
-- a.go --
package m

import "os"

func readOnce(p string) ([]byte, error) {
	b, err := os.ReadFile(p)
	if err != nil {
		return nil, err
	}
	os.Remove(p)
	return b, nil
}

func closeAll(f *os.File) error {
	f.Close()
	return nil
}
-- app.py --
def read_once(p):
    try:
        return open(p).read()
    except OSError as e:
        raise e
-- app.ts --
export function readIt(p: string): string {
  if (!p) throw new Error("no path");
  return p;
}
`

// TestReturnedErrorsAreMeant: wrapping or returning an error is about the one that is
// returned; an ignored one stays as it is.
func TestReturnedErrorsAreMeant(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	p := projectOf(t, errorsBothWays)
	defer slowly()()
	for _, request := range []string{
		"wrap the error in %s", "return the error in %s", "propagate the error in %s", "wrap the returned error in %s",
		// not fitted to
		"wrap err in %s", "wrap and return the error in %s", "please wrap errors in %s with context",
		"bubble up the error in %s", "wrap the error %s returns", "pass on the error in %s", "add context to the error in %s",
		"wrap the raw error in %s", "%s should wrap its error", "make %s return the error", "propagate errors in %s",
		"wrap the error inside %s please", "wrap the error from os.ReadFile in %s", "return err in %s",
	} {
		for _, name := range []string{"readOnce", "closeAll", "read_once", "readIt"} {
			out := ask(t, p, strings.Replace(request, "%s", name, 1))
			for _, e := range out.edits {
				now := applied(t, e)
				if !strings.Contains(now, "\tos.Remove(p)\n") || !strings.Contains(now, "\tf.Close()\n") || name != "readOnce" {
					t.Errorf("%q for %s changed another call:\n%s", request, name, now)
				}
			}
			if out.err == nil && len(out.edits) == 0 && name == "readOnce" && strings.HasPrefix(request, "wrap") {
				t.Errorf("%q for %s did nothing", request, name)
			}
		}
	}
	out := ask(t, p, "wrap the error in readOnce")
	if out.err != nil || !strings.Contains(inserted(out), `fmt.Errorf("read file: %w", err)`) {
		t.Errorf("wrap: %q, %v", inserted(out), out.err)
	}
	out = ask(t, p, "wrap the error in closeAll")
	if out.refusal == nil || len(out.refusal.Candidates) != 1 {
		t.Errorf("an error that is only ignored: %v", out.err)
	}
}

// TestSecondVerbsAreNotSwallowed: nothing is written before it is clear what the text is.
func TestSecondVerbsAreNotSwallowed(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	p := projectOf(t, takers)
	defer slowly()()
	for _, tail := range []string{
		"check this and delete main", "slow, then rename it to get", "old; remove it",
		"check the version and add a test for it",
		// not fitted to
		"check this and also please delete main", "needs a cache. Then inline it", "it loads, and update the callers",
		"loads a page and finally sort the imports", "broken - remove it", "it is slow and you can drop it later",
		"it fetches\nand delete everything else", "fine, now rename show to display", "ok, and while at it fix show",
		"it gets a page, afterwards move it to util", "tidy and then extract the url",
	} {
		for _, head := range []string{"add a TODO to fetch: ", "add a TODO to load_page: ", "add a todo to show saying ",
			"document fetch saying ", "add a docstring to load_page saying ", "add a doc comment to show saying "} {
			out := ask(t, p, head+tail)
			if out.err == nil && strings.Contains(inserted(out), lastWord(tail)) {
				t.Errorf("%q swallowed it: %q", head+tail, inserted(out))
			}
		}
	}
	for _, name := range []string{"fetch", "load_page", "show"} {
		out := ask(t, p, "add a TODO to "+name+": check this and delete it")
		if out.refusal == nil || len(out.refusal.Candidates) != 2 {
			t.Fatalf("%s: %v", name, out.err)
		}
		for i, want := range []string{"TODO: check this and delete it\n", "TODO: check this\n"} {
			if took := ask(t, p, out.refusal.Candidates[i].Request); !strings.Contains(inserted(took), want) {
				t.Errorf("%q inserts %q, %v", out.refusal.Candidates[i].Request, inserted(took), took.err)
			}
		}
		for _, text := range []string{"`check this and delete it`", "\"check this, then delete it\"",
			"what, and where from"} {
			if took := ask(t, p, "add a TODO to "+name+": "+text); took.err != nil {
				t.Errorf("%s: %v", text, took.err)
			}
		}
	}
}

// applied is a file after one edit.
func applied(t *testing.T, e model.FileEdit) string {
	t.Helper()
	now, err := e.Changes.Apply(e.Base)
	if err != nil {
		t.Fatal(err)
	}
	return now.String()
}
