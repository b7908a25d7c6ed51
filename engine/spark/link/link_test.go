package link

import (
	"strings"
	"testing"

	"waferpair/engine/refactor/words"
)

var testTable = NewTable([]Symbol{
	{Name: "batchSize", Kind: Const, File: "loader/batch.go", Line: 3, EndLine: 3},
	{Name: "MAX_RETRIES", Kind: Const, File: "net.py", Line: 1, EndLine: 1},
	{Name: "Server", Kind: Type, File: "server.go", Line: 10, EndLine: 20},
	{Name: "Close", Kind: Method, Owner: "Server", File: "server.go", Line: 22, EndLine: 30},
	{Name: "Close", Kind: Method, Owner: "Client", File: "client.go", Line: 5, EndLine: 9},
	{Name: "run", Kind: Func, File: "main.go", Line: 4, EndLine: 9, Params: []string{"dryRun", "name"}},
	{Name: "parseConfig", Kind: Func, File: "config.go", Line: 4, EndLine: 9},
	{Name: "addField", Kind: Func, File: "config.go", Line: 14, EndLine: 19},
}, []string{"loader/batch.go", "server.go", "client.go", "main.go", "net.py", "config.go"})

var testLinker = Linker{Vocabulary: words.Set(
	"rename add field to the function run remove set in name a please delete method of with lines never number")}

func TestLink(t *testing.T) {
	for _, c := range []struct{ request, units string }{
		{"rename parseConfig to loadConfig", "rename func:parseConfig to new:loadConfig"},
		{"set batch size to 64", "set const:batch_size to literal:64"},
		{"set max retries to 5s in net.py", "set const:max_retries to literal:5s in file:net.py"},
		{"parseconfig() please", "func:parseconfig please"},
		{"rename `parseConfig` → `load`", "rename func:parseConfig → new:load"},
		{"add field x to Server", "add field x to type:Server"}, // addField is not meant
		{"delete run", "delete word:run"},
		{"delete the function run", "delete the function func:run"},
		{"remove dryrun", "remove param:dryrun"},
		{"rename parseConfg to x", "rename func:parseConfg to x"},
		{"rename Server.Close to Stop", "rename method:Server.Close to Stop"},
		{"Server's Close", "type:Server 's method:Close"},
		{"add x []string to this function", "add x typed:[]string to pointer:this_function"},
		{"add timeout time.Duration to run()", "add timeout typed:time.Duration to func:run"},
		{"lines 10-20 of it", "lines:lines_10-20 of pointer:it"},
		{`add "hello there" to config`, "add text:hello_there to config"},
		{"don't touch its batch.go", "don ' t touch its file:batch.go"},
		{"'parseConfig' is never used", "func:parseConfig is never used"},
		{"print 'run' again", "print text:run again"},
		{"Magic number '13'", "Magic number literal:13"},
		{"server.go:38:14: 'batchSize'", "file:server.go : const:batchSize"},
		{"server.go(2,10): x", "file:server.go : x"},
		{"x: map[string][]int | null", "x : typed:map[string][]int_|_null"},
	} {
		var got []string
		for _, u := range testLinker.Link(c.request, testTable) {
			s := strings.ReplaceAll(u.Text, " ", "_")
			if u.Kind != Word && u.Kind != Sign || u.Match == Perhaps {
				s = string(u.Kind) + ":" + s
			}
			got = append(got, s)
		}
		if g := strings.Join(got, " "); g != c.units {
			t.Errorf("%s\n got %s\nwant %s", c.request, g, c.units)
		}
	}
}

func TestPlus(t *testing.T) {
	more := testTable.Plus([]Symbol{{Name: "n", Kind: Var, Owner: "run", File: "main.go", Line: 6,
		EndLine: 6, Local: true}})
	if got := more.Named("n"); len(got) != 1 || more.Symbol(got[0]).Owner != "run" {
		t.Errorf("n is %v", got)
	}
	if len(testTable.Named("n")) > 0 || testTable.Len() == more.Len() {
		t.Error("the table itself has changed")
	}
	if s, ok := more.Around("main.go", 6, nil); !ok || s.Name != "n" {
		t.Errorf("line 6 is in %v", s)
	}
	if s, ok := more.Around("main.go", 6, []Kind{Func, Var}); !ok || s.Name != "run" {
		t.Errorf("what has a doc comment on line 6 is %v", s)
	}
	if got := testTable.Plus(nil); got != testTable {
		t.Error("nothing more is another table")
	}
}

// FuzzLink: the units hold every byte of any request but white space, in order.
func FuzzLink(f *testing.F) {
	for _, s := range []string{"rename a to b", "`", "\"x", "'s", "...x", "a.b/c-d", "[]", "*x",
		"lines 1-", "x<y", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, request string) {
		at := 0
		for _, u := range testLinker.Link(request, testTable) {
			if u.From < at || u.To <= u.From || strings.TrimSpace(request[at:u.From]) != "" {
				t.Fatalf("%q: unit %+v after byte %d", request, u, at)
			}
			at = u.To
		}
		if strings.TrimSpace(request[at:]) != "" {
			t.Fatalf("%q: nothing from byte %d on", request, at)
		}
	})
}
