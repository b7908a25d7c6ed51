package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/passes/buildtag"
)

// TestVetIsComplete compares the checks of vet with those that the go command has.
func TestVetIsComplete(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "tool", "vet", "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(out), "Registered analyzers:\n\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var want, got []string
	for line := range strings.Lines(list) {
		want = append(want, strings.Fields(line)[0])
	}
	for _, a := range vet {
		got = append(got, a.Name)
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("lint has the checks %v, go vet %v", got, want)
	}
}

// The file that the build leaves out has a constraint where it has no effect. analysistest
// passes such files itself, which the driver of lint does not.
func TestFilesLeftOutOfTheBuildAreChecked(t *testing.T) {
	asDriver := *buildtag.Analyzer
	asDriver.Run = func(pass *analysis.Pass) (any, error) {
		p := *pass
		p.IgnoredFiles = nil
		return withIgnored(buildtag.Analyzer).Run(&p)
	}
	analysistest.Run(t, analysistest.TestData(), &asDriver, "leftout")
}
