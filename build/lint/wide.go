package main

import (
	"os"

	"golang.org/x/tools/go/analysis"

	"waferpair/build/lint/lines"
)

// wide reports a line that is too long and can be broken. `go run -C build/lint ./wrap`
// breaks it.
var wide = &analysis.Analyzer{
	Name: "wide",
	Doc:  "a line of more columns than lines.Width that can be broken",
	Run:  runWide,
}

func runWide(pass *analysis.Pass) (any, error) {
	for _, f := range pass.Files {
		file := pass.Fset.File(f.FileStart)
		src, err := os.ReadFile(file.Name()) // the driver has no pass.ReadFile
		if err != nil {
			return nil, err
		}
		for _, line := range lines.Long(pass.Fset, f, src) {
			pass.Reportf(file.LineStart(line), "the line is too long; 'make wrap' breaks it")
		}
	}
	return nil, nil
}
