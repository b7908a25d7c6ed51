package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/app/owner"
	"waferpair/engine/refactor/typecheck"
	"waferpair/history"
)

// finding is one result of doctor.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
	Next string `json:"next,omitempty"`
}

func doctorCommand(e *env) *cobra.Command {
	var tests, shown bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "See what works on this computer, and what to do about the rest",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			failed := false
			var found []finding
			if shown {
				found = examineShown(cmd.Context())
			} else {
				found = append(e.examine(cmd.Context()), examineWindow(cmd.Context())...)
			}
			if tests {
				found = append(found, examineTests()...)
			}
			for _, f := range found {
				failed = failed || !f.OK
				e.printFinding(f)
			}
			if failed {
				return &codeError{code: exitFailed, err: fmt.Errorf("something does not work"), quiet: true}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&tests, "tests", false, "also check what 'make test' needs")
	c.Flags().BoolVar(&shown, "window", false, "look at the window only: a build without it asks one that has it")
	_ = c.Flags().MarkHidden("window") // it fails for a flag that is not there
	return c
}

func (e *env) printFinding(f finding) {
	if e.json {
		jsonOut(e.out, f)
		return
	}
	v := newDiffView(e.out, e.color(e.out))
	mark := v.paint(ansiGreen, "ok  ")
	if !f.OK {
		mark = v.paint(ansiRed, "FAIL")
	}
	fmt.Fprintf(e.out, "%s  %-10s %s\n", mark, f.What, clean(f.Says))
	if f.Next != "" {
		fmt.Fprintf(e.out, "                 -> %s\n", f.Next)
	}
}

func (e *env) examine(ctx context.Context) []finding {
	e.locate()
	out := []finding{program("git", "git bundles of the history (waferpair history export --format bundle) need it"),
		program("go", "exact renames of Go code that uses packages outside the project need it"), examineTypes()}
	out = append(out, e.examineNetworks()...)
	out = append(out, e.examineProviders(ctx)...)
	out = append(out, e.examineOwner())
	if reach := history.Reach(e.historyDir()); owner.Answers(reach) {
		return append(out, finding{"project", true, owner.Root(e.dir) + ", open in another waferpair: not examined here", ""})
	}
	for _, f := range app.Examine(ctx, e.dir, app.Options{}) {
		out = append(out, finding{f.What, f.OK, f.Says, f.Next})
	}
	return out
}

// examineTypes reports whether types of TypeScript projects are checked after an edit.
func examineTypes() finding {
	says, ok := typecheck.Available()
	if !ok {
		return finding{"types", true, "TypeScript is not checked after edits: " + says,
			"install Node.js 20 or later if you want edits that bring type errors to be reverted"}
	}
	return finding{"types", true, "TypeScript is checked after edits by " + says, ""}
}

// examineNetworks reports whether the networks inside built-in models can be used. A model
// without its network goes on, and understands less.
func (e *env) examineNetworks() (out []finding) {
	for _, info := range e.models.BuiltIn() {
		n, err := e.networkNamed(info.Name)
		if err != nil {
			out = append(out, finding{info.Name, false, "it understands fewer requests, without its network: " + err.Error(),
				"this program is damaged: install it again"})
		} else if len(n.File) > 0 {
			out = append(out, finding{info.Name, true, fmt.Sprintf("its network of %.1f MB can be used",
				float64(len(n.File))/1e6), ""})
		}
	}
	return out
}

// examineOwner reports where the user's processes meet, and which one is the owner.
func (e *env) examineOwner() finding {
	place, err := e.desk().Place()
	if err != nil {
		return finding{"owner", true, "each waferpair runs alone: " + err.Error(),
			"repair the first of these folders, so that a window and the command line can share a project"}
	}
	who := "none yet: the next waferpair becomes it"
	if pid := owner.PID(place.Owner()); pid != 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	return finding{"owner", true, fmt.Sprintf("%s (socket in %s)", who, place.Dir()), ""}
}

// program looks for a program that some features need. A missing program is not a failure.
func program(name, why string) finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return finding{name, true, "not installed", "install it if you want: " + why}
	}
	if home, err := os.UserHomeDir(); err == nil {
		if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) {
			path = "~/" + rel
		}
	}
	return finding{name, true, path, ""}
}
