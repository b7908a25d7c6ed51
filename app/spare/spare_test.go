package spare_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waferpair/app/spare"
	"waferpair/history"
)

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// place returns a place with two folders for the spare file. The first can be made
// unusable.
func place(t *testing.T) (p spare.Place, first, second string) {
	dir := t.TempDir()
	first, second = filepath.Join(dir, "first", "waferpair"), filepath.Join(dir, "sec[o]nd", "waferpair")
	return spare.Place{Root: "/p", History: "/h/p-1", Homes: []string{first, second}}, first, second
}

func TestWhatIsWrittenIsFoundUntilItIsRemoved(t *testing.T) {
	p, first, _ := place(t)
	other := p
	other.History = "/h/p-2"
	docs := []spare.Doc{{Path: "a.txt", Before: history.HashBytes([]byte("one")), Mode: 0o640,
		Text: []byte("one, typed\xff")}, {Path: "b.txt"}}
	_, err := p.Write(docs[1:])
	ok(t, err)
	at, err := p.Write(docs)
	ok(t, err)
	if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(at) != first {
		t.Errorf("%s: %v %v", at, info, err)
	}
	if found := p.Found(); len(found) != 1 || found[0] != at {
		t.Fatalf("found %q, not %s alone", found, at)
	}
	file, err := spare.Read(at)
	ok(t, err)
	if diff := cmp.Diff(docs, file.Docs); diff != "" || file.Root != "/p" || file.History != "/h/p-1" {
		t.Error(file.Root, file.History, diff)
	}
	if found := other.Found(); len(found) > 0 {
		t.Errorf("another history finds %q", found)
	}
	p.Remove()
	if found := p.Found(); len(found) > 0 {
		t.Errorf("left: %q", found)
	}
}

func TestAnotherHomeIsTakenWhereOneCannotBe(t *testing.T) {
	p, first, second := place(t)
	before, err := p.Write([]spare.Doc{{Path: "old"}})
	ok(t, err)
	ok(t, os.Remove(before))
	ok(t, os.Chmod(first, 0o777)) // others could replace files in it
	at, err := p.Write([]spare.Doc{{Path: "new"}})
	ok(t, err)
	if filepath.Dir(at) != second || len(p.Found()) != 1 {
		t.Errorf("written to %s, found %q", at, p.Found())
	}
	ok(t, os.Chmod(second, 0o777))
	if _, err := p.Write(nil); err == nil || !strings.Contains(err.Error(), first) ||
		!strings.Contains(err.Error(), second) {
		t.Errorf("no folder is left, and that is said as: %v", err)
	}
}

func TestADamagedFileIsLeftWhereItIsFoundAgain(t *testing.T) {
	p, _, _ := place(t)
	at, err := p.Write([]spare.Doc{{Path: "a"}})
	ok(t, err)
	body, err := os.ReadFile(at)
	ok(t, err)
	ok(t, os.WriteFile(at, body[:len(body)-1], 0o600))
	if _, err := spare.Read(at); err == nil {
		t.Error("a file that was cut off is read as if it were whole")
	}
	left := spare.Leave(at)
	if left == at || spare.Leave(left) != left {
		t.Errorf("it stays as %s", left)
	}
	again, err := p.Write([]spare.Doc{{Path: "b"}})
	ok(t, err)
	if found := p.Found(); len(found) != 2 || found[0] != again || found[1] != left {
		t.Errorf("found %q", found)
	}
}
