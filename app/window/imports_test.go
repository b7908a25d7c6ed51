package window

import (
	"os/exec"
	"strings"
	"testing"
)

// TestOnlyTheWindowKnowsWails checks that no other package imports Wails, because tests and
// 'waferpair serve' must not need GTK.
func TestOnlyTheWindowKnowsWails(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-tags", "desktop,production,webkit2_41,e2e", "-f",
		`{{.ImportPath}} {{join .Imports " "}}`, "waferpair/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(line, " ")
		if !strings.Contains(imports, "github.com/wailsapp/") {
			continue
		}
		known++
		if pkg != "waferpair/app/window" {
			t.Errorf("%s imports Wails", pkg)
		}
	}
	if known == 0 {
		t.Error("not even app/window imports Wails: the check looks for the wrong name")
	}
}
