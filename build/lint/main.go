// Lint checks the Go code of this repository with one load of it and one cache: it runs
// staticcheck's checks, those of go vet and four more.
//
//	staticcheck   all of its checks that its own command runs
//	vet           all checks of go vet                                vet.go
//	errcheck      an unhandled error                                  dropped.go
//	decided       an error assigned to "_" without a reason           dropped.go
//	exhaustive    a switch that omits values without a decision       switches.go
//	wide          a line of more than 120 columns, where it can break  lines/
//
// It runs them in staticcheck's own driver, which caches the results of packages that did
// not change, so the additional checks take seconds and no second load of the program with
// types. golangci-lint has the same checks behind a driver of its own, which would load
// everything again; go vet would check every package of the program and of the standard
// library in a process of its own.
//
// It is a module of its own, so that its dependencies do not become the product's.
package main

import (
	"os"

	"golang.org/x/tools/go/analysis"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/lintcmd"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

func main() {
	cmd := lintcmd.NewCommand("lint")
	cmd.ParseFlags(os.Args[1:])
	cmd.AddAnalyzers(simple.Analyzers...)
	cmd.AddAnalyzers(staticcheck.Analyzers...)
	cmd.AddAnalyzers(stylecheck.Analyzers...)
	cmd.AddAnalyzers(unused.Analyzer)
	cmd.AddAnalyzers(failing(unchecked), failing(decided), failing(undecided), failing(wide))
	for _, a := range vet {
		cmd.AddAnalyzers(failing(a))
	}
	cmd.Run()
}

// failing returns a check whose findings fail the run.
func failing(a *analysis.Analyzer) *lint.Analyzer {
	return &lint.Analyzer{Doc: &lint.RawDocumentation{Title: a.Doc, Severity: lint.SeverityError}, Analyzer: a}
}

// narrowed returns a check that reports through a filter.
func narrowed(a *analysis.Analyzer, filter func(*analysis.Pass) func(analysis.Diagnostic)) *analysis.Analyzer {
	n := *a
	n.Run = func(pass *analysis.Pass) (any, error) {
		p := *pass
		p.Report = filter(pass)
		return a.Run(&p)
	}
	return &n
}
