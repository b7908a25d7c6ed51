package spark

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"waferpair/engine/model"
)

// TestUnderstand: what is understood while a request is typed; nothing where nothing is.
func TestUnderstand(t *testing.T) {
	m := New()
	for request, want := range map[string]string{
		"":                                    "",
		"why is the sky blue":                 "",
		"fetchAll":                            "",
		"rename fetchAll to downloadAll":      "[rename] [fetchAll downloadAll] [net/client.go] true",
		"add a doc comment to load_config":    "[doc] [load_config] [main.py] true",
		"there's no test for load config yet": "[add-test] [load_config] [main.py] false",
		"fetchAll is a bad name, downloadAll says what it does": "[rename] [fetchAll downloadAll] [net/client.go] false",
		"\x00": "",
	} {
		u, err := m.Understand(t.Context(), model.Prompt{Items: []model.Item{model.User(request)}, Files: heardProject})
		got := ""
		if len(u.Operations) > 0 {
			got = fmt.Sprint(u.Operations, u.Names, u.Files, u.Certain)
		}
		if err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", request, got, err, want)
		}
	}
}

// changing is a project whose symbols are another slice after each change.
type changing struct {
	heardSource
	symbols *[]model.Symbol
}

func (c changing) Symbols(context.Context) ([]model.Symbol, error) { return *c.symbols, nil }

// TestTablesAreKept: one table as long as symbols and files are the same ones, and of few projects.
func TestTablesAreKept(t *testing.T) {
	m := New()
	symbols := slices.Clone(heardProject.symbols)
	p := changing{heardProject, &symbols}
	files := []string{"a.go"}
	table := func() int {
		t.Helper()
		got, err := m.table(t.Context(), p, files)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := m.table(t.Context(), p, slices.Clone(files))
		if got != again {
			t.Error("a second table of the same symbols")
		}
		return got.Len()
	}
	before := table()
	symbols = append(slices.Clone(symbols), model.Symbol{Name: "fresh", Kind: "func", Path: "a.go"})
	if got := table(); got != before+1 {
		t.Errorf("%d symbols, want %d", got, before+1)
	}
	files = append(files, "b.go")
	table()
	for i := range 10 {
		m.tables.of(fmt.Sprint(i), symbols, files)
	}
	if len(m.tables.kept) != mostTables {
		t.Errorf("%d tables", len(m.tables.kept))
	}
}
