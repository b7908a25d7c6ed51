package main

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestDroppedErrors(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), unchecked, "dropped")
}

func TestSwitches(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), undecided, "switches")
}

// A comment that wants a finding would be the comment that says why.
func TestErrorsDroppedByName(t *testing.T) {
	var lines []int
	for _, r := range analysistest.Run(unexpected{}, analysistest.TestData(), decided, "decided") {
		for _, d := range r.Diagnostics {
			lines = append(lines, r.Pass.Fset.Position(d.Pos).Line)
		}
	}
	if want := []int{15, 16, 17}; !slices.Equal(lines, want) {
		t.Errorf("found in lines %v, want %v", lines, want)
	}
}

// unexpected lets findings be that nothing in the file asks for.
type unexpected struct{}

func (unexpected) Errorf(string, ...any) {}
