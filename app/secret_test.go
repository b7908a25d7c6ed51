package app_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/history"
)

// planted are secrets of several kinds, each in the parts in which it is typed. They are
// joined here, so that the repository contains nothing that looks like a secret.
var planted = map[string][]string{
	"github":  {"gh" + "p_9sKqL2", "vB7xT0mWc4Rz", "E1yU6iOpA3sD8fG5", "h"},
	"aws":     {"AK" + "IAQ7RZ", "M2KXW5PT", "4LNV"},
	"slack":   {"xo" + "xb-48120", "4629173-840", "251937264-", "Qw7Er2Ty9Ui4Op1As6Df3Gh8"},
	"generic": {"Zx8Kq", "2Lm9Vw", "4Np7Rt3Bc6Hd1Jf5Gs0"},
	"stripe":  {"sk_" + "live_4eC3", "9HqLyjWDarjt", "T1zdp7dc"},
}

// dataHolds lists the files below the data folder that contain any of the words. Another
// process reads them, because closing a file of an open database would drop its locks.
func (w *world) dataHolds(words ...string) (found []string) {
	w.Helper()
	err := filepath.WalkDir(w.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := exec.Command("cat", path).Output()
		if err != nil {
			return nil // deleted meanwhile
		}
		for _, word := range words {
			if len(word) > 3 && bytes.Contains(b, []byte(word)) {
				found = append(found, fmt.Sprintf("%s: %q", filepath.Base(path), word))
			}
		}
		return nil
	})
	w.ok(err)
	return found
}

// versions returns all versions of a file in the history.
func (w *world) versions(p *app.Project, path string) string {
	w.Helper()
	edits, err := p.History().List(w.Context(), history.Filter{Path: path})
	w.ok(err)
	var all strings.Builder
	for _, e := range edits {
		d, err := p.History().Get(w.Context(), e.ID)
		w.ok(err)
		fmt.Fprintf(&all, "%s%s%v", d.Before.Bytes, d.After.Bytes, slices.Collect(d.Changes.Changes))
	}
	return all.String()
}

// TestATokenTypedWithPausesIsNotKept checks that no part of a token stays in the history if
// each part is recorded by itself, before the token is complete.
func TestATokenTypedWithPausesIsNotKept(t *testing.T) {
	for kind, parts := range planted {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": "first\napi_key = \"\"\nlast\n"})
			p := w.open()
			e := w.show(p, "a.txt")
			e.typed("first", "1st")
			w.ok(p.SaveFile(t.Context(), "a.txt"))
			so := ""
			for i, part := range parts {
				if i == len(parts)-1 {
					w.ok(p.History().Backup(t.Context()))
					if len(w.dataHolds(parts[0])) == 0 {
						t.Fatal("the test does not find the beginning where it is")
					}
				}
				e.typed(`"`+so+`"`, `"`+so+part+`"`)
				so += part
				w.ok(p.SaveFile(t.Context(), "a.txt"))
			}
			w.until(func() bool { return len(w.dataHolds(parts...)) == 0 })
			w.is(w.disk("a.txt"), "1st\napi_key = \""+so+"\"\nlast\n")
			e.typed("last", "the end")
			w.ok(p.Close())
			p = w.open()
			if all := w.versions(p, "a.txt"); slices.ContainsFunc(parts, func(s string) bool {
				return len(s) > 3 &&
					strings.Contains(all, s)
			}) {
				t.Errorf("a version holds a part:\n%s", all)
			}
			if found := w.dataHolds(parts...); len(found) > 0 {
				t.Error(found)
			}
			r, err := p.History().Check(t.Context(), nil)
			w.ok(err)
			if !r.OK() || r.Edits != len(parts)+2 || r.Tombstones != 0 {
				t.Errorf("%+v", r)
			}
			done, err := p.Revert(t.Context(), app.RevertRequest{IDs: []history.EditID{1}})
			w.ok(err)
			w.is(w.disk("a.txt"), "first\napi_key = \""+so+"\"\nthe end\n")
			w.is(fmt.Sprint(done.Files), "[a.txt]")
		})
	}
}

// TestATokenIsMaskedAlsoAfterACrash checks that a token is masked at the next start if the
// process dies right after the edit that completed it.
func TestATokenIsMaskedAlsoAfterACrash(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "api_key = \"\"\n"})
	p := w.open()
	e := w.show(p, "a.txt")
	parts, so := planted["github"], ""
	for _, part := range parts {
		e.typed(`"`+so+`"`, `"`+so+part+`"`)
		so += part
		w.ok(p.SaveFile(t.Context(), "a.txt"))
	}
	copied := t.TempDir()
	if out, err := exec.Command("cp", "-r", w.data, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	w.ok(p.Close())
	w.data = filepath.Join(copied, filepath.Base(w.data))
	locks, err := filepath.Glob(filepath.Join(w.data, "waferpair", "projects", "*", "lock"))
	w.ok(err)
	for _, l := range locks {
		w.ok(os.Remove(l))
	}
	w.open()
	w.until(func() bool { return len(w.dataHolds(parts...)) == 0 })
}
