package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"waferpair/workspace/text"
)

// contents are files whose bytes must stay unchanged.
var contents = map[string]string{
	"lf": "a\nb\nc\n", "crlf": "a\r\nb\r\nc\r\n", "mixed": "a\nb\r\nc\rd\n\r", "no final newline": "a\nb", "empty": "",
	"bom": "\ufeffa\nb\n", "utf16le": "\xff\xfea\x00\n\x00\x00\xd8", "utf16be": "\xfe\xff\x00a\x00\n",
	"latin1": "caf\xe9\nna\xefve\n", "nul": "a\x00b\n\x00", "invalid utf8": "a\xc3\x28\xf0\x9f\n",
	"only newlines": "\n\n\r\n\n", "long line": strings.Repeat("x", 1<<20), "tabs": "\tx\t \n  \n",
}

// TestBytesStayIdentical edits one place of each file through a buffer, saves,
// and compares every other byte; then the same without a buffer.
func TestBytesStayIdentical(t *testing.T) {
	w := open1(t)
	for name, old := range contents {
		put(t, w.root, name, old)
		want := old[:len(old)/2] + "EDIT" + old[len(old)/2:]
		f, err := w.Read(context.Background(), name)
		if err != nil || (f.Class == Text) != (name != "nul") {
			t.Fatalf("%s is %v: %v", name, f.Class, err)
		}
		b := NewBuffer(name, text.Of(f.Bytes))
		at := text.Byte(len(old) / 2)
		if _, err := b.Apply("model", 0, edit(t, len(old), text.Change{From: at, To: at, Insert: "EDIT"})); err != nil {
			t.Fatal(err)
		}
		now, _ := b.Snapshot()
		w.save(Write{Path: name, Op: Update, Before: f.Hash, Content: now.Bytes()})
		if got := w.cat(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if f, err := w.Read(context.Background(), name); err != nil || f.Hash != hashOf(want) {
			t.Errorf("%s: read back %x, %v", name, f.Hash, err)
		}
	}
	w.tidy()
}

// TestMetadataStays: mode and owner.
func TestMetadataStays(t *testing.T) {
	w := open1(t)
	for _, mode := range []os.FileMode{0o644, 0o755, 0o600, 0o664, 0o777, 0o755 | os.ModeSetuid,
		0o2775&0o777 | os.ModeSetgid} {
		name := "m" + mode.String()
		put(t, w.root, name, "x")
		full := filepath.Join(w.root, name)
		must(t, os.Chmod(full, mode))
		if os.Getuid() == 0 {
			must(t, os.Lchown(full, 65534, 65533))
			must(t, os.Chmod(full, mode))
		}
		old, err := w.Stat(name)
		must(t, err)
		w.save(update(name, "x", "y"))
		now, err := w.Stat(name)
		must(t, err)
		if now.Mode != old.Mode || now.UID != old.UID || now.GID != old.GID || now.Inode == old.Inode {
			t.Errorf("was %+v\nis  %+v", old, now)
		}
	}
	w.tidy()
}

func TestHardLinksStay(t *testing.T) {
	w := open1(t, "a", "long old content", "x/keep", "x")
	must(t, os.Link(filepath.Join(w.root, "a"), filepath.Join(w.root, "b")))
	for _, after := range []string{"short", "much longer than it was before", ""} {
		saved := w.save(update("a", w.cat("a"), after))
		if !saved[0].InPlace || w.cat("a") != after || w.cat("b") != after {
			t.Errorf("%+v; a %q, b %q", saved[0], w.cat("a"), w.cat("b"))
		}
		if n := <-w.notices; n.Kind != InPlace || n.Path != "a" {
			t.Error(n)
		}
	}
	w.tidy()
}

// TestUnchangedKeepsMtime: writing the present content changes nothing; a change of mode
// alone keeps the content's mtime.
func TestUnchangedKeepsMtime(t *testing.T) {
	w := open1(t, "f", "x")
	old, _ := w.Stat("f")
	mode := os.FileMode(0o755)
	w.save(update("f", "x", "x"))
	write := update("f", "x", "x")
	write.Mode = &mode
	w.save(write)
	now, _ := w.Stat("f")
	if now.Inode != old.Inode || !now.ModTime.Equal(old.ModTime) || now.Mode != 0o755 {
		t.Errorf("was %+v\nis  %+v", old, now)
	}
	w.tidy()
}

func TestModes(t *testing.T) {
	defer unix.Umask(unix.Umask(0o027))
	w := open1(t, "f", "x")
	mode := os.FileMode(0o700)
	write := update("f", "x", "y")
	write.Mode = &mode
	w.save(write, Write{Path: "new", Op: Create}, Write{Path: "script", Op: Create, Mode: &mode})
	for name, want := range map[string]os.FileMode{"f": 0o700, "new": 0o640, "script": 0o700} {
		if e, _ := w.Stat(name); e.Mode != want {
			t.Errorf("%s: %v, want %v", name, e.Mode, want)
		}
	}
	moved := Write{Path: "script", To: "moved", Op: Rename, Before: hashOf(""), Content: []byte("z")}
	w.save(moved)
	if e, _ := w.Stat("moved"); e.Mode != 0o700 {
		t.Errorf("a rename with new content made mode %v", e.Mode)
	}
}
