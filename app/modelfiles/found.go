package modelfiles

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Found is a model file of another program.
type Found struct {
	File  string `json:"file"`
	Name  string `json:"name"` // that Add could give it
	From  string `json:"from"`
	Bytes int64  `json:"bytes"`
}

// least is the size of the smallest file that is offered, in bytes: smaller ones answer nothing.
const least = 1 << 18

// Find returns the model files of other programs in a user's home folder. env finds variables.
func Find(home string, env func(string) string) []Found {
	cache := cmp.Or(env("XDG_CACHE_HOME"), filepath.Join(home, ".cache"))
	var out []Found
	for _, of := range []struct{ from, dir string }{
		{"LM Studio", filepath.Join(home, ".lmstudio", "models")},
		{"LM Studio", filepath.Join(cache, "lm-studio", "models")},
		{"llama.cpp", cmp.Or(env("LLAMA_CACHE"), filepath.Join(cache, "llama.cpp"))},
		{"Hugging Face", cmp.Or(env("HF_HUB_CACHE"), filepath.Join(cache, "huggingface", "hub"))},
		{"GPT4All", filepath.Join(home, ".local", "share", "nomic.ai", "GPT4All")},
	} {
		out = append(out, below(of.dir, of.from)...)
	}
	out = append(out, ollama(cmp.Or(env("OLLAMA_MODELS"), filepath.Join(home, ".ollama", "models")))...)
	return unlike(out)
}

// below returns the files in a folder and those below it.
func below(dir, from string) (out []Found) {
	// what cannot be read has nothing to offer
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(path), ending) {
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() >= least {
			out = append(out, Found{path, NameOf(path), from, info.Size()})
		}
		return nil
	})
	return out
}

// ollama returns the models of Ollama: manifests/HOST/OWNER/MODEL/TAG name blobs/sha256-....
func ollama(dir string) (out []Found) {
	manifests := filepath.Join(dir, "manifests")
	_ = filepath.WalkDir(manifests, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		raw, err := os.ReadFile(path)
		var m struct {
			Layers []struct{ MediaType, Digest string }
		}
		if err != nil || json.Unmarshal(raw, &m) != nil {
			return nil
		}
		for _, l := range m.Layers {
			hash, is := strings.CutPrefix(l.Digest, "sha256:")
			if l.MediaType != "application/vnd.ollama.image.model" || !is || strings.ContainsAny(hash, `/\`) {
				continue
			}
			blob := filepath.Join(dir, "blobs", "sha256-"+hash)
			if info, err := os.Stat(blob); err == nil && info.Mode().IsRegular() {
				name := NameOf(filepath.Base(filepath.Dir(path)) + "-" + filepath.Base(path))
				out = append(out, Found{blob, name, "Ollama", info.Size()})
			}
		}
		return nil
	})
	return out
}

// unlike drops links to the same file, and gives files of one name different ones.
func unlike(all []Found) (out []Found) {
	var seen []os.FileInfo
	names := map[string]int{}
	for _, f := range all {
		info, err := os.Stat(f.File)
		if err != nil || slices.ContainsFunc(seen, func(s os.FileInfo) bool { return os.SameFile(s, info) }) {
			continue
		}
		seen = append(seen, info)
		if names[f.Name]++; names[f.Name] > 1 {
			f.Name += "-" + strings.Repeat("x", names[f.Name]-1)
		}
		out = append(out, f)
	}
	return out
}
