package recipes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesBecomeReadyRequests checks the user's own ready requests: titles, placeholders, names that
// are taken, and files that are none.
func TestFilesBecomeReadyRequests(t *testing.T) {
	config, project := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write(config, "waferpair/ready/sql.md", "# Check the SQL\r\n\r\nLook at {selection} in {file}. $ARGUMENTS Done.\n")
	write(project, ".waferpair/ready/sql.md", "mine")
	write(project, ".waferpair/ready/docs.md", "# Other docs\nother")
	write(project, ".waferpair/ready/plain.md", "Say it short.")
	write(project, ".waferpair/ready/empty.md", "\n")
	write(project, ".waferpair/ready/large.md", strings.Repeat("x", maxBytes+1))
	write(project, ".waferpair/ready/not a name.md", "x")
	write(project, ".waferpair/ready/note.txt", "x")
	write(config, "secret", "hush")
	if err := os.Symlink(filepath.Join(config, "secret"), filepath.Join(project, ".waferpair/ready/link.md")); err != nil {
		t.Fatal(err)
	}
	list, err := List(config, project)
	for _, want := range []string{"empty.md", "large.md", "link.md"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, err)
		}
	}
	var got []string
	for _, r := range list {
		got = append(got, strings.Join([]string{r.Name, r.Title, r.From, r.Hidden}, "|"))
		if strings.Contains(r.Text, "hush") {
			t.Error("a link led out of the project")
		}
	}
	if want := "docs|Write documentation|built-in| tests|Write tests|built-in| explain|Explain|built-in| sql|Check the SQL|yours| docs|Other docs|project|built-in plain|plain|project| sql|sql|project|yours"; strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
	sql, err := Find(list, "sql")
	if err != nil || sql.Fill(" both ", "line 3", "a.go") != "Look at line 3 in a.go. both Done." {
		t.Errorf("%+v %v", sql, err)
	}
	if plain, err := Find(list, "plain"); err != nil || plain.Fill("Please.", "", "") != "Say it short.\n\nPlease." {
		t.Errorf("%+v %v", plain, err)
	}
	if _, err := Find(list, "SQL"); err == nil || !strings.Contains(err.Error(), "docs, tests, explain, sql, plain") {
		t.Error(err)
	}
}
