package spark

import (
	"context"
	"strings"
	"testing"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/engine/spark/linear"
)

// heardSource is a project with symbols.
type heardSource struct {
	files   map[string]string
	symbols []model.Symbol
}

func (s heardSource) Files(context.Context) ([]string, error) {
	return []string{"main.py", "net/client.go", "server.go", "web/app.ts"}, nil
}
func (s heardSource) Read(path string) ([]byte, error)                { return []byte(s.files[path]), nil }
func (s heardSource) Root() string                                    { return "" }
func (s heardSource) Symbols(context.Context) ([]model.Symbol, error) { return s.symbols, nil }

var heardProject = heardSource{symbols: []model.Symbol{
	{Name: "fetchAll", Kind: "func", Path: "net/client.go", Line: 10, EndLine: 30, Params: []string{"urls", "verbose"}},
	{Name: "Client", Kind: "type", Path: "net/client.go", Line: 3, EndLine: 8},
	{Name: "BaseURL", Kind: "field", Owner: "Client", Path: "net/client.go", Line: 4, EndLine: 4},
	{Name: "Close", Kind: "method", Owner: "Client", Path: "net/client.go", Line: 32, EndLine: 40},
	{Name: "Close", Kind: "method", Owner: "Server", Path: "server.go", Line: 12, EndLine: 20},
	{Name: "Server", Kind: "type", Path: "server.go", Line: 3, EndLine: 9},
	{Name: "MAX_RETRIES", Kind: "const", Path: "main.py", Line: 1, EndLine: 1},
	{Name: "load_config", Kind: "func", Path: "main.py", Line: 3, EndLine: 9, Params: []string{"path"}},
	{Name: "renderPage", Kind: "func", Path: "web/app.ts", Line: 1, EndLine: 9, Params: []string{"title"}},
}}

func hear(t *testing.T, request string, target model.Target) hearing {
	t.Helper()
	m := New()
	return m.heard(context.Background(), model.Prompt{Files: heardProject, Target: target}, request)
}

// TestHeard: requests in everyday words come back in the grammar's, with the project's names.
func TestHeard(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, c := range []struct{ request, program string }{
		{"fetchAll is a bad name, downloadAll says what it does", "rename symbol=fetchAll to=downloadAll"},
		{"max retries -> 9", "set-constant name=MAX_RETRIES value=9"},
		{"nobody passes verbose any more, drop it", "remove-param func=fetchAll name=verbose"},
		{"there's no test for load config yet", "add-test func=load_config"},
		{"renderPage lacks a doc comment", "doc symbol=renderPage"},
		{"could you give renderPage another param, subtitle: string", "add-param func=renderPage name=subtitle type=string"},
		{"benenne fetchAll bitte in downloadAll um", "rename symbol=fetchAll to=downloadAll"},
		{"nobody calls renderPage any more, delete it", "delete-unused func=renderPage"},
		{"Client needs a field Timeout time.Duration", "add-field type=Client name=Timeout fieldtype=time.Duration"},
	} {
		found := hear(t, c.request, model.Target{}).requests
		if len(found) == 0 {
			t.Errorf("%s: nothing heard, want %s", c.request, c.program)
			continue
		}
		files, _ := heardProject.Files(context.Background())
		parsed, err := Parse(found[0], Context{Files: files})
		if err != nil || programText(parsed.Program) != c.program {
			t.Errorf("%s: heard %q, which is %s (%v); want %s", c.request, found, programText(parsed.Program), err, c.program)
		}
	}
}

// TestHeardNarrows: a part that means nothing here is not left out, which would widen the
// request; a restriction that no operation follows is no choice.
func TestHeardNarrows(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, request := range []string{
		"the imports in confg.py should be sorted",
		"sort the imports in main.py and remove the debug prints from server.go",
		"this function needs documentation",
		"nobody needs verbose in fetchAll, drop it but keep it in the tests",
		"please rename Close to Shutdown, only in net/clent.go",
	} {
		if h := hear(t, request, model.Target{}); len(h.requests) > 0 {
			t.Errorf("%s: heard %q", request, h.requests)
		}
	}
}

func programText(p refactor.Program) string {
	var ops []string
	for _, op := range p {
		ops = append(ops, op.String())
	}
	return strings.Join(ops, "; ")
}

// TestHeardIsParsed: what is heard, whatever the request, is understood by the grammar.
func TestHeardIsParsed(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	files, _ := heardProject.Files(context.Background())
	for _, request := range []string{"", " ", "close", "Close -> Shutdown", "rename rename rename to to to", "make it so",
		"fetchAll fetchAll fetchAll", "add add add param param", strings.Repeat("rename Close to x and ", 200),
		strings.Repeat("verbose ", 5000), "\x00", "\xff\xfe", "\u202eevil",
		"document everything then drop verbose from fetchAll then rename Client to Conn",
		"why is the sky blue", "`", "\"", "'s 's 's"} {
		for _, r := range hear(t, request, model.Target{File: "server.go", From: 13, To: 14}).requests {
			if _, err := Parse(r, Context{Files: files, Target: refactor.Target{File: "server.go", From: 13, To: 14}}); err !=
				nil {
				t.Errorf("%.60q: heard %q, which is not understood: %v", request, r, err)
			}
		}
	}
}

// TestWeightsAreWhole: the embedded weights load.
func TestWeightsAreWhole(t *testing.T) {
	if _, err := linear.Unmarshal(weights); err != nil {
		t.Fatal(err)
	}
	if len(weights) > 1<<20 {
		t.Errorf("the weights take %d bytes, more than a megabyte", len(weights))
	}
}
