package spark

import (
	"fmt"
	"testing"

	"waferpair/engine/model"
)

// BenchmarkUnderstand: what the composer asks at a pause, with 100,000 symbols, half of which have a
// common name. The first answer makes the table.
func BenchmarkUnderstand(b *testing.B) {
	p := heardProject
	for i := range 50_000 {
		p.symbols = append(p.symbols,
			model.Symbol{Name: fmt.Sprintf("loadItem%d", i), Kind: "func", Path: "main.py", Line: i, EndLine: i},
			model.Symbol{Name: "Shutdown", Kind: "method", Owner: fmt.Sprintf("Server%d", i), Path: "server.go",
				Line: i, EndLine: i})
	}
	m := New()
	if _, err := m.Understand(b.Context(),
		model.Prompt{Items: []model.Item{model.User("rename x to y")}, Files: p}); err !=
		nil {
		b.Fatal(err)
	}
	for name, request := range map[string]string{"exact": "fetchAll is a bad name, downloadAll says what it does",
		"common":     "please let Shutdown be called Stop from now on",
		"misspelled": "fetchAl needs a test, and loadItm7 as well"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Understand(b.Context(), model.Prompt{Items: []model.Item{model.User(request)}, Files: p}); err !=
					nil {
					b.Fatal(err)
				}
			}
		})
	}
}
