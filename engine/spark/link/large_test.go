package link

import (
	"fmt"
	"testing"
)

// large is a project of 100,000 symbols: 2,000 files with 50 functions, one of which has the same name
// in all.
func large() *Table {
	var symbols []Symbol
	var files []string
	verbs := []string{"load", "store", "parse", "render", "fetch", "merge", "count", "write", "close", "open"}
	for f := range 2000 {
		file := fmt.Sprintf("pkg%d/file%d.go", f%100, f)
		files = append(files, file)
		for i := range 49 {
			symbols = append(symbols, Symbol{Name: fmt.Sprintf("%sItem%dOf%d", verbs[i%10], i, f), Kind: Func, File: file,
				Line: 1 + i*10, EndLine: 9 + i*10})
		}
		symbols = append(symbols, Symbol{Name: "Shutdown", Kind: Method, Owner: fmt.Sprintf("Server%d", f), File: file,
			Line: 500, EndLine: 510})
	}
	return NewTable(symbols, files)
}

// BenchmarkLarge: 100,000 symbols: the table, a request with exact names, one with misspelled names.
func BenchmarkLarge(b *testing.B) {
	t := large()
	for name, request := range map[string]string{
		"exact":      "rename loadItem0Of7 to readItem and add a test for it",
		"common":     "Shutdown is a bad name, Stop says what it does",
		"misspelled": "rename laodItem0Of7 to raedItem because storItem1Of8 and parsItem2Of9 and fetcItem4Of5 are badly namd",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Linker{}.Link(request, t)
			}
		})
	}
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			large()
		}
	})
}
