package words

import (
	"os/exec"
	"testing"
)

// TestAShellReadsTheWord has a shell print it.
func TestAShellReadsTheWord(t *testing.T) {
	for _, word := range []string{"main.go", "a b", "it's", "$HOME", "~", "`x`", "a\nb", "größe/日本.go", "*",
		"", "-n;", "a\\b", `"q"`} {
		out, err := exec.Command("sh", "-c", "printf %s "+Shell(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q as %s: the shell reads %q, %v", word, Shell(word), out, err)
		}
	}
}
