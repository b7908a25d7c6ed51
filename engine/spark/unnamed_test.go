package spark

import (
	"slices"
	"strings"
	"testing"
	"time"

	"waferpair/engine/refactor"
)

// typesWithoutNames say which type something should take or have, and not what it is
// called: an article or an adjective before a type is no name.
var typesWithoutNames = []string{
	"make fetch take a Config", "fetch should take an Options", "fetch must accept a string", "let fetch take a []byte",
	"make fetch take an optional Config", "make fetch take one Config", "make fetch accept a Config object",
	"make fetch take a Config parameter", "give fetch a string parameter", "give fetch a Config", "add a Mutex to Server",
	"add a Config to fetch", "add a parameter a int to fetch", "add a string field to Config",
	"Config should have a Mutex", "change the signature of fetch to take a Config", "fetch needs a Logger",
	// written after the grammar was done, and not fitted to
	"have fetch receive an HttpClient", "please make fetch accept a time.Duration", "fetch ought to take a Context",
	"add an int to fetch", "could you let fetch take a map[string]int?", "fetch has to accept a number",
	"extend fetch with an AbortSignal", "modify the signature of fetch to accept a List[str]",
	"add an Options argument to fetch", "let the function fetch take a Request as its first parameter",
	"add a private Logger to Server", "give the class Client a Session", "add an extra bool parameter to fetch",
	"make fetch get another Config", "fetch should receive two Configs", "make fetch take a proper Config",
	"add a bytes property to Client", "let it accept a Config", "make fetch take in a dict",
	"introduce a str argument to fetch",
}

func TestArticlesAreNoNames(t *testing.T) {
	selected := Context{Files: project, Target: refactor.Target{File: "client.go", From: 3, To: 3}}
	for _, r := range typesWithoutNames {
		mustDecline(t, r, selected)
	}
}

const takers = `
-- go.mod --
module example.com/m

go 1.24
-- a.go --
package m

type Config struct{}

func fetch(url string) string { return url }

func main() { fetch("") }
-- app.py --
class Options:
    pass


class Client:
    def __init__(self):
        self.url = ""


def load_page(url):
    return url
-- app.ts --
export class Cart { total = 0; }

export function show(url: string): string {
  return url;
}
`

// TestTypesWithoutNamesAreAskedBack: with complete requests, which work.
func TestTypesWithoutNamesAreAskedBack(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	defer slowly()()
	p := projectOf(t, takers)
	for _, c := range []struct{ request, offer, makes string }{
		{"make fetch take a Config", "add parameter config of type Config to fetch", "config Config"},
		{"fetch should take a Context", "add parameter ctx of type context.Context to fetch", "ctx context.Context"},
		{"add a parameter a Config to fetch", "add parameter `a` of type Config to fetch", "a Config"},
		{"load_page should take an Options", "add parameter options of type Options to load_page", "options: \"Options"},
		{"give Client an Options", "add field options of type Options to Client", "self.options"},
		{"let show take a Cart", "add parameter cart of type Cart to show", "cart?: Cart"},
		{"show must accept a number", "add parameter count of type `number` to show", "count?: number"},
	} {
		out := ask(t, p, c.request)
		if out.refusal == nil || len(out.edits) > 0 || !slices.Contains(out.refusal.Requests(), c.offer) {
			t.Errorf("%q: %v, want the choice %q", c.request, out.err, c.offer)
			continue
		}
		for _, offer := range out.refusal.Requests() {
			took := ask(t, p, offer)
			if took.err != nil || len(took.edits) == 0 {
				t.Errorf("%q offers %q, which does nothing: %v", c.request, offer, took.err)
			} else if offer == c.offer && !strings.Contains(inserted(took), c.makes) {
				t.Errorf("%q: %q inserts %q, want %q", c.request, offer, inserted(took), c.makes)
			}
		}
	}
}

// inserted is everything that an answer's edits insert.
func inserted(a answer) string {
	var b strings.Builder
	for _, e := range a.edits {
		for c := range e.Changes.Changes {
			b.WriteString(c.Insert + "\n")
		}
	}
	return b.String()
}

// slowly lets choices be tried for as long as it takes: tests do not depend on the
// computer's pace.
func slowly() (restore func()) {
	was := offerWithin
	offerWithin = time.Minute
	return func() { offerWithin = was }
}
