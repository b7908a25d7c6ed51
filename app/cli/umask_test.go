package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// made returns the modes of what commands with a umask create: a patch, a turn, a reverted
// edit, and a turn that moves a file, each in its own folder.
func (u *user) made(umask string) map[string]string {
	u.t.Helper()
	u.write("answer.jsonl", `{"text":"*** Begin Patch\n*** Add File: by/turn/new.txt\n+new\n*** End Patch\n"}`+"\n")
	u.write("move.jsonl",
		`{"text":"*** Begin Patch\n*** Update File: a.txt\n*** Move to: by/move/there.txt\n@@\n-1\n+2\n*** End Patch\n"}`+
			"\n")
	for _, args := range [][]string{
		{"apply", "-C", "p"}, {"edit", "-C", "p", "--model", "script:answer.jsonl", "go"},
		{"apply", "-C", "p"}, {"history", "revert", "-C", "p", "3"},
		{"edit", "-C", "p", "--model", "script:move.jsonl", "go"},
	} {
		c := u.command()
		c.Args = append([]string{"sh", "-c", "umask " + umask + `; exec "$0" "$@"`, u.prog}, args...)
		c.Path = "/bin/sh"
		patch := "*** Begin Patch\n*** Add File: by/patch/new.txt\n+new\n*** End Patch\n"
		if _, err := os.Stat(filepath.Join(u.dir, "p/by/patch")); err == nil {
			patch = "*** Begin Patch\n*** Delete File: by/patch/new.txt\n*** End Patch\n"
		}
		c.Stdin = strings.NewReader(patch)
		if out, err := c.CombinedOutput(); err != nil {
			u.t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	modes := map[string]string{}
	err := filepath.WalkDir(filepath.Join(u.dir, "p/by"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		modes[strings.TrimPrefix(path, u.dir)] = info.Mode().String()
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return modes
}

// TestAClientHasItsOwnUmask checks that what a client creates has the same modes alone and
// attached, whether its umask is narrower or wider than that of the process in which it
// runs.
func TestAClientHasItsOwnUmask(t *testing.T) {
	t.Parallel()
	for umask, want := range map[string][2]string{
		"027": {"drwxr-x---", "-rw-r-----"}, "000": {"drwxrwxrwx", "-rw-rw-rw-"},
	} {
		alone := newUser(t).made(umask)
		u := newUser(t)
		u.owner("-C", "p")
		if diff := cmp.Diff(alone, u.made(umask)); diff != "" {
			t.Errorf("umask %s, attached it makes others (- alone, + attached):\n%s", umask, diff)
		}
		if alone["/p/by/turn"] != want[0] || alone["/p/by/turn/new.txt"] != want[1] || alone["/p/by/move"] != want[0] {
			t.Errorf("umask %s, alone: %v", umask, alone)
		}
	}
}
