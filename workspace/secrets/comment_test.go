package secrets

import (
	"bytes"
	"testing"
)

// TestACommentAllowsNothing checks that gitleaks' own comment, which its users put beside
// tokens that it may pass, does not send a token to a model.
func TestACommentAllowsNothing(t *testing.T) {
	token := "ghp_" + "x7Kq2mVb9TzR4wLc8NpY1sHd6JgF3aQe5UoB"
	for _, line := range []string{
		"token = \"" + token + "\"\n",
		"token = \"" + token + "\" // gitleaks:allow\n",
		"token = \"" + token + "\" # gitleaks:allow\n",
		"# gitleaks:allow\ntoken = \"" + token + "\"\n",
	} {
		masked, found := Mask("config.txt", []byte(line))
		if len(found) != 1 || bytes.Contains(masked, []byte(token)) {
			t.Errorf("%q passes as %q, with the findings %v", line, masked, found)
		}
	}
}
