package modelfiles

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waferpair/engine"
	"waferpair/engine/gguf"
	"waferpair/engine/local"
	"waferpair/engine/local/localtest"
	"waferpair/wafer/transformer"
)

// TestFilesHaveNames: added, listed, opened through a registry, removed; the file stays.
func TestFilesHaveNames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "My Model.gguf")
	if err := localtest.Write(file, localtest.Shape("llama", 1, 64), gguf.F16, 1); err != nil {
		t.Fatal(err)
	}
	shelf := &local.Shelf{}
	defer shelf.Close()
	f := In(dir, dir, shelf)
	r := engine.NewRegistry([]engine.Driver{nil}).WithNamed(f)
	if got := r.Named(); len(got) != 0 {
		t.Errorf("before: %v", got)
	}
	name := NameOf(file)
	if e, err := f.Add(name, file, ""); err != nil || e.File != file || name != "My-Model" {
		t.Fatalf("%s: %+v, %v", name, e, err)
	}
	if _, err := f.Add(name, file, ""); err != nil {
		t.Errorf("again: %v", err)
	}
	if got := r.Named(); len(got) != 1 || got[0].Name != name || got[0].Context != 4096 || !got[0].Language {
		t.Errorf("listed: %+v", got)
	}
	other := filepath.Join(dir, "other.gguf")
	if err := localtest.Write(other, localtest.Shape("llama", 1, 64), gguf.F16, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Add(name, other, ""); !errors.As(err, new(*Taken)) {
		t.Errorf("another file of the name: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, is, err := f.Open(name); !is || err == nil {
		t.Errorf("a file that is gone: %v, %v", is, err)
	}
	if err := localtest.Write(file, localtest.Shape("llama", 1, 64), gguf.F16, 3); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Add(name, file, "chatml"); err != nil || f.template(name) != "chatml" {
		t.Errorf("with a form: %v, %q", err, f.template(name))
	}
	if was, err := f.Remove(name); !was || err != nil {
		t.Errorf("removed: %v, %v", was, err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// TestNames: a name is no path and no option.
func TestNames(t *testing.T) {
	for _, bad := range []string{"", ".hidden", "-n", "a/b", "a b", "..", "a\nb", "a\u202eb", "a\u200bb", "\u0308a",
		"a\xff", strings.Repeat("a", 201)} {
		if CheckName(bad) == nil {
			t.Errorf("%q is a name", bad)
		}
	}
	for file, want := range map[string]string{"/x/Qwen2.5-Coder-0.5B_Q8_0.GGUF": "Qwen2.5-Coder-0.5B_Q8_0",
		"a b.gguf": "a-b", ".gguf": "gguf", "über größe.gguf": "über-größe", "u\u0308ber.gguf": "über",
		"日本語モデル.gguf": "日本語モデル", "हिन्दी.gguf": "हिन्दी", "a\nb\x1b[31m.gguf": "a-b--31m", "_x.gguf": "x", "-- .gguf": "",
		strings.Repeat("語", 90) + ".gguf": strings.Repeat("語", 66)} {
		got := NameOf(file)
		if got != want || want != "" && CheckName(got) != nil {
			t.Errorf("%q: %q, %v", file, got, CheckName(got))
		}
	}
}

// TestFilesOfOtherPrograms are found once each, by their names there.
func TestFilesOfOtherPrograms(t *testing.T) {
	home := t.TempDir()
	put := func(path string, size int) {
		t.Helper()
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(".lmstudio/models/qwen/Qwen2.5/q8.gguf", 2<<20)
	put(".cache/llama.cpp/tiny.gguf", 100)
	put(".cache/huggingface/hub/models--x/blobs/abc", 2<<20)
	put(".ollama/models/blobs/sha256-1234", 2<<20)
	put(".ollama/models/blobs/sha256-5678", 100)
	put(".ollama/models/manifests/broken", 10)
	manifest := `{"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:1234"},` +
		`{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:../../secret"},` +
		`{"mediaType":"application/vnd.ollama.image.license","digest":"sha256:5678"}]}`
	path := filepath.Join(home, ".ollama/models/manifests/registry.ollama.ai/library/qwen3/0.6b")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(home, ".cache/huggingface/hub/models--x/snapshots/1/m.gguf")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"../../blobs/abc": link,
		"m.gguf": filepath.Join(filepath.Dir(link), "again.gguf")} {
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, f := range Find(home, func(string) string { return "" }) {
		got = append(got, f.From+": "+f.Name)
	}
	want := []string{"LM Studio: q8", "Hugging Face: again", "Ollama: qwen3-0.6b"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestAFileThatCannotAnswerIsNotAdded: its vocabulary and its tensors are checked before it gets a name.
func TestAFileThatCannotAnswerIsNotAdded(t *testing.T) {
	dir := t.TempDir()
	shelf := &local.Shelf{}
	defer shelf.Close()
	f := In(dir, dir, shelf)
	c := localtest.Shape("llama", 1, 64)
	pairs, tensors := gguf.Sources(c, transformer.Random(c, 1), gguf.F16)
	path := filepath.Join(dir, "mute.gguf")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	pairs = append(pairs, gguf.Pair{Key: "tokenizer.chat_template", Value: localtest.Template})
	if err := errors.Join(gguf.Write(file, pairs, tensors), file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Add("mute", path, ""); err == nil || !strings.Contains(err.Error(), "vocabulary") {
		t.Error(err)
	}
	plain := filepath.Join(dir, "plain.gguf")
	if err := localtest.Write(plain, c, gguf.F16, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Add("plain", plain, "llama3"); err == nil || !strings.Contains(err.Error(), "<|start_header_id|>") {
		t.Errorf("a form whose markers it has not: %v", err)
	}
	if entries, err := f.Entries(); err != nil || len(entries) != 0 {
		t.Errorf("%+v, %v", entries, err)
	}
}
