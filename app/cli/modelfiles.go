package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"waferpair/app/modelfiles"
	"waferpair/app/providers"
	"waferpair/engine"
	"waferpair/engine/local"
	"waferpair/engine/model"
)

// isModelFile reports whether a word of 'models add' is a file and not the name of a provider.
func (e *env) isModelFile(word string) bool {
	if strings.EqualFold(filepath.Ext(word), ".gguf") {
		return true
	}
	info, err := os.Stat(e.around().file(word))
	return err == nil && (info.IsDir() || strings.ContainsRune(word, filepath.Separator)) // no provider's name has one
}

// addFiles adds a model file, or all of a folder.
func (e *env) addFiles(word, name, template string) error {
	path := e.around().file(word)
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("add a model file: %w", err)
	}
	if !info.IsDir() {
		return e.addFile(path, name, template)
	}
	if name != "" {
		return usageError("--name is for one file; %s is a folder", word)
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("add model files: %w", err)
	}
	var files []string
	for _, f := range list {
		if strings.EqualFold(filepath.Ext(f.Name()), ".gguf") {
			files = append(files, filepath.Join(path, f.Name()))
		}
	}
	if len(files) == 0 {
		return usageError("there is no .gguf file in %s", path)
	}
	failed := 0
	for _, file := range files {
		if err := e.addFile(file, "", template); err != nil {
			failed++
			fmt.Fprintf(e.err, "waferpair: %s\n", cleanName(err.Error()))
		}
	}
	if failed > 0 {
		return &codeError{code: exitFailed, err: fmt.Errorf("%d of %d files were not added", failed, len(files)), quiet: true}
	}
	return nil
}

func (e *env) addFile(path, name, template string) error {
	if name == "" {
		if name = modelfiles.NameOf(path); name == "" {
			return usageError("the file %s has no letter or digit for a name: choose one with --name", cleanName(path))
		}
	}
	if name == engine.Auto {
		return usageError("%s stands for the model that suits a task: choose another name with --name", name)
	}
	if _, is := e.providers.File.Read().Provider(name); is {
		return usageError("a provider is called %s already: choose another name with --name", name)
	}
	for _, m := range e.models.BuiltIn() {
		if m.Name == name {
			return usageError("the built-in model is called %s: choose another name with --name", name)
		}
	}
	added, err := e.files.Add(name, path, template)
	if taken := (*modelfiles.Taken)(nil); errors.As(err, &taken) {
		return usageError("%w", taken)
	}
	if err != nil {
		return err
	}
	about, err := e.aboutFile(added.File)
	if err != nil {
		return err
	}
	if e.json {
		jsonOut(e.out, struct {
			Added string `json:"added"`
			aboutFile
		}{added.Name, about})
		return nil
	}
	fmt.Fprintf(e.out, "added %s: %s\n", added.Name, clean(factsWords(about.Facts)))
	e.printAbout(about, added.Name)
	fmt.Fprintf(e.out, "try it: waferpair ask --model %s \"what is in this project?\"\n", added.Name)
	return nil
}

// removeFile removes the name of a model file; false: there is none.
func (e *env) removeFile(name string) (bool, error) {
	is, err := e.files.Remove(name)
	if !is || err != nil {
		return false, err
	}
	if e.json {
		jsonOut(e.out, map[string]any{"removed": name})
		return true, nil
	}
	fmt.Fprintf(e.out, "removed %s; its file is where it was\n", name)
	return true, nil
}

// listedFile is a line of the list.
type listedFile struct {
	measured
	File  string `json:"file"`
	Error string `json:"error,omitempty"`
}

func (e *env) listFiles() error {
	entries, err := e.files.Entries()
	if err != nil {
		return err
	}
	rows := make([][]string, 0, len(entries))
	for _, f := range entries {
		line := listedFile{measured: e.measured(f.Info), File: f.File}
		if f.Err != nil {
			line.Info = model.Info{Name: f.Name, Kind: "local", Offline: true, Language: true}
			line.Error = f.Err.Error()
		}
		if e.json {
			jsonOut(e.out, line)
			continue
		}
		rows = append(rows, line.row())
	}
	e.printColumns(rows)
	return nil
}

// row is the line's cells: name, context, speed, file; of one that cannot be used, name and reason.
func (l listedFile) row() []string {
	if l.Error != "" {
		return []string{cleanName(l.Name), "cannot be used: " + cleanName(l.Error)}
	}
	speed := "not measured"
	if l.Here != nil {
		speed = figure(l.Here.PerSecond) + " tok/s here"
	}
	return []string{cleanName(l.Name), fmt.Sprintf("%d tokens", l.Context), speed, cleanName(l.File)}
}

// isFileName reports whether a name is that of a model file.
func (e *env) isFileName(name string) bool {
	if strings.HasPrefix(name, "gguf:") {
		return true
	}
	entries, err := e.files.Entries()
	return err == nil && slices.ContainsFunc(entries, func(m modelfiles.Entry) bool { return m.Name == name })
}

// testedFile is what a test of a model file measured.
type testedFile struct {
	Model    string          `json:"model"`
	File     string          `json:"file"`
	Computed string          `json:"computed_with"`
	Bytes    int64           `json:"memory_bytes"`
	Load     float64         `json:"load_ms"`
	Prefill  float64         `json:"prefill_tok_s"`
	Decode   float64         `json:"decode_tok_s"`
	Wafer    *generatedWafer `json:"wafer"` // an estimate; null: the model has no place on it
}

// fileSpeed returns how fast a model file was here, by the name of its model.
func (e *env) fileSpeed(name string) (providers.Measured, bool) {
	file, is := strings.CutPrefix(name, "gguf:")
	if !is {
		file = e.files.FileOf(name)
	}
	m, is := e.files.MeasuredOf(file)
	return providers.Measured{TTFT: m.First, PerSecond: m.Decode}, is
}

// testFile measures how fast a model file runs here, and remembers it.
func (e *env) testFile(ctx context.Context, name string) error {
	path, err := e.fileOf(name)
	if err != nil {
		return err
	}
	wait := e.startWaiting()
	w, err := local.Measure(ctx, path, e.fileSettings().Threads, wait.loading)
	wait.over()
	if err != nil && ctx.Err() != nil {
		err = errors.New("stopped; nothing was changed")
	}
	if err != nil {
		return fmt.Errorf("test %s: %w", name, err)
	}
	t := timingsOf(w)
	out := testedFile{name, path, w.Backend, w.Bytes, t.Load, t.PrefillSpeed, t.DecodeSpeed, onWafer(w)}
	if err := e.files.Remember(path, modelfiles.Measured{Load: t.Load, First: t.First, Prefill: t.PrefillSpeed,
		Decode: t.DecodeSpeed, Memory: w.Bytes}); err != nil {
		e.notify(fmt.Sprintf("waferpair: what was measured is not remembered: %s\n", clean(err.Error())))
	}
	if e.json {
		jsonOut(e.out, out)
		return nil
	}
	row := func(what, says string) { fmt.Fprintf(e.out, "  %-22s %s\n", what, says) }
	fmt.Fprintf(e.out, "%s\n", cleanName(path))
	with := w.Backend
	if with == "go" {
		with = "plain Go: this processor has neither AVX-512 nor AVX2, or the program was built without C, so it is slow"
	}
	row("computed with", with)
	row("loaded", fmt.Sprintf("in %s ms, %s of memory", figure(t.Load), bytesWords(w.Bytes)))
	row("a prompt", fmt.Sprintf("of %s: %s tokens a second", count(len(w.Prompt), "token"), figure(t.PrefillSpeed)))
	row("an answer", figure(t.DecodeSpeed)+" tokens a second; more where it copies")
	if out.Wafer != nil {
		row("on a WSE-3", figure(out.Wafer.TokS)+" tokens a second (an estimate, not measured)")
	}
	return nil
}
