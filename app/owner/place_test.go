package owner

import (
	"os"
	"path/filepath"
	"testing"
)

// TestClaimsOfTheKilledAreSwept checks that a sweep removes the claims that no process
// holds, and only those, and that a removed claim can be claimed again.
func TestClaimsOfTheKilledAreSwept(t *testing.T) {
	dir := t.TempDir()
	place := func(key string) Place { return Place{dir: dir, key: key} }
	claimed := func(key string) *claim {
		c, err := place(key).claim(filepath.Join(dir, key+".sock"))
		if err != nil || c == nil {
			t.Fatalf("claim %s: %v", key, err)
		}
		return c
	}
	mine, other, killed := claimed("mine"), claimed("other"), claimed("killed")
	killed.f.Close() // as the kernel does
	place("mine").sweep()
	for key, want := range map[string]bool{"mine": true, "other": true, "killed": false} {
		if _, err := os.Stat(place(key).claimFile()); (err == nil) != want {
			t.Errorf("%s: %v", key, err)
		}
	}
	if c, err := place("other").claim("x"); c != nil || err != nil {
		t.Errorf("the claim that is held is given away: %v", err)
	}
	claimed("killed").release()
	other.release()
	mine.release()
}
