//go:build unix

package stress

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"waferpair/workspace"
)

func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

// times multiplies a count for long runs.
func times(n int) int {
	if os.Getenv("WAFERPAIR_LONG") != "" {
		return 10 * n
	}
	return n
}

func TestRaces(t *testing.T) {
	r, err := Races(t.Context(), t.TempDir(), times(300))
	t.Log(r)
	check(t, r, err)
	if r.Counts["displaced"] == 0 || r.Counts["stale"] == 0 {
		t.Errorf("the races did not meet: %v", r.Counts)
	}
}

func TestKills(t *testing.T) {
	r, err := Kills(t.Context(), t.TempDir(), times(30))
	t.Log(r)
	check(t, r, err)
	if r.Counts["temporary files found"]+r.Counts["finished"] == 0 {
		t.Errorf("no kill hit a save: %v", r.Counts)
	}
}

func check(t *testing.T, r Report, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(r.Lost, r.Broken...) {
		t.Error(s)
	}
}

// TestRacesFindLoss shows that the oracle sees a loss: a saver that checks the
// hash and renames loses versions.
func TestRacesFindLoss(t *testing.T) {
	r, err := races(t.Context(), t.TempDir(), 300, renameSave)
	t.Log(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Lost) == 0 {
		t.Error("a saver that loses versions was not found out")
	}
}

func renameSave(_ context.Context, f *workspace.Folder, w workspace.Write) error {
	path := filepath.Join(f.Root(), w.Path)
	if b, err := os.ReadFile(path); err != nil || sha256.Sum256(b) != w.Before {
		return &workspace.StaleError{Path: w.Path, Disk: &workspace.File{Bytes: b, Hash: sum(b)}}
	}
	if err := os.WriteFile(path+".new", w.Content, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
