package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waferpair/engine/local"
	"waferpair/wafer"
)

// generateFlags are the flags of 'generate'.
type generateFlags struct {
	model, promptFile, promptTokens, draftFile, logits, backend string

	suffix, suffixFile string

	n, threads, topK  int
	temperature, topP float64
	seed              uint64
	ignoreEnd, plain  bool
}

func generateCommand(e *env) *cobra.Command {
	var f generateFlags
	c := &cobra.Command{
		Use:   "generate --model MODEL [TEXT]",
		Short: "Continue a text with a model file, token by token, and say how fast",
		Long: `generate is raw decoding: the model continues the text as it stands, without a
conversation around it. It takes the most likely token each time, unless told otherwise
(--temperature), and says on standard error how long what took.

Guesses: text that was there before is offered to the model several tokens at a time, which
changes the speed and not the text (but for near ties); --no-drafts does without.
With --suffix the model fills in what is missing before it, if it was trained for that
(Qwen2.5-Coder, Code Llama and others). With
--draft-file, a file is offered, too: the one that the text will be most like.

With --json, one object: model, prompt_tokens, tokens, text, stop, timings, calls (of the
model: tokens, depth, drafted), and wafer: the cycles that a WSE-3 would take for these
calls, an estimate and never a measurement of this computer. --logits writes float32 numbers, little
endian, one row of the vocabulary for each token of the prompt.`,
		Example: `  waferpair generate --model gguf:qwen2.5-coder-0.5b-q8_0.gguf "func add(a, b int) int {"
  waferpair generate --model qwen --prompt-file main.go -n 200 --json
  waferpair generate --model coder "func add(a, b int) int {\n" --suffix "\n}\n"
  waferpair generate --model qwen --prompt-tokens 151644,872,198 -n 16 --ignore-eos`,
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.generate(cmd.Context(), f, words)
		},
	}
	fl := c.Flags()
	fl.Var(e.modelValue(&f.model), "model", "`model` file to run: gguf:FILE, or the name of one that was added")
	fl.StringVar(&f.promptFile, "prompt-file", "", "read the text from this `file` (- is standard input)")
	fl.StringVar(&f.promptTokens, "prompt-tokens", "", "continue these tokens: `ids` with commas between")
	fl.StringVar(&f.suffix, "suffix", "", "fill in: write what belongs between the prompt and this `text`")
	fl.StringVar(&f.suffixFile, "suffix-file", "", "the same, with the text of a `file`")
	fl.IntVarP(&f.n, "tokens", "n", 128, "write so `many` tokens at most")
	fl.Float64Var(&f.temperature, "temperature", 0, "0: the most likely token; 1: as likely as the model says")
	fl.IntVar(&f.topK, "top-k", 0, "draw from so `many` tokens, the most likely ones; 0: all")
	fl.Float64Var(&f.topP, "top-p", 0, "draw from the most likely tokens that have this `probability` together; 0: all")
	fl.Uint64Var(&f.seed, "seed", 0, "of the drawing: the same seed gives the same text")
	fl.BoolVar(&f.ignoreEnd, "ignore-eos", false, "go on behind the token that ends an answer")
	fl.StringVar(&f.draftFile, "draft-file", "", "a `file` that the text will be like: guesses are taken from it")
	fl.BoolVar(&f.plain, "no-drafts", false, "one token at a time")
	fl.StringVar(&f.logits, "logits", "", "write the logits of the prompt to this `file`")
	fl.IntVar(&f.threads, "threads", 0, "compute with so `many` threads; 0: as config.toml says, or one for each core")
	fl.StringVar(&f.backend, "backend", "", "compute with `avx512`, avx2 or go; default: the fastest that is there")
	e.completeModels(c)
	return c
}

// modelValue is the value of a flag that names a model: a file is one of the working folder.
func (e *env) modelValue(name *string) *modelValue { return &modelValue{e, name} }

type modelValue struct {
	e    *env
	name *string
}

func (v *modelValue) String() string {
	if v.name == nil {
		return ""
	}
	return *v.name
}

func (v *modelValue) Type() string { return "string" }

func (v *modelValue) Set(name string) error {
	if file, is := strings.CutPrefix(name, "gguf:"); is {
		name = "gguf:" + v.e.around().file(file)
	}
	*v.name = name
	return nil
}

// modelFile returns the file of a local model.
func (e *env) modelFile(name string) (string, error) {
	if file, is := strings.CutPrefix(name, "gguf:"); is && file != "" {
		return file, nil
	}
	if name == "" {
		return "",
			usageError("say which model: --model gguf:FILE, or the name of one that was added: waferpair models add FILE")
	}
	entries, err := e.files.Entries()
	if err != nil {
		return "", err
	}
	var known []string
	for _, m := range entries {
		if m.Name == name {
			return m.File, nil
		}
		known = append(known, m.Name)
	}
	if _, err := e.models.Open(name); err == nil {
		return "", usageError("%s is no model file: only those are run here; 'waferpair ask --model %s' asks it", name, name)
	}
	if len(known) == 0 {
		return "", usageError("no model file is called %q, none was added yet: waferpair models add FILE.gguf", name)
	}
	return "", usageError("no model file is called %q; there are: %s", name, strings.Join(known, ", "))
}

func (f generateFlags) raw(e *env, words []string) (r local.Raw, err error) {
	given := 0
	for _, is := range []bool{len(words) > 0, f.promptFile != "", f.promptTokens != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return r, usageError("give one prompt: TEXT, --prompt-file or --prompt-tokens")
	case f.promptTokens != "" && (f.suffix != "" || f.suffixFile != ""):
		return r,
			usageError("--suffix goes with a text before it; --prompt-tokens can have the tokens for filling in themselves")
	case f.suffix != "" && f.suffixFile != "":
		return r, usageError("give one of --suffix and --suffix-file")
	case f.n < 1:
		return r, usageError("-n %d: it writes one token at least", f.n)
	case f.draftFile != "" && f.plain:
		return r, usageError("--draft-file has guesses, --no-drafts has none: give one of them")
	}
	threads, err := e.threads(f.threads)
	if err != nil {
		return r, err
	}
	r = local.Raw{Text: strings.Join(words, " "), Most: f.n, IgnoreEnd: f.ignoreEnd, Guess: !f.plain,
		Threads: threads,
		Backend: f.backend}
	r.Sampling.Temperature, r.Sampling.TopK, r.Sampling.TopP, r.Sampling.Seed = f.temperature, f.topK, f.topP, f.seed
	if err := r.Sampling.Check(); err != nil {
		return r, usageError("%w", err)
	}
	if f.promptFile != "" {
		b, err := e.readAll(f.promptFile, 1<<28)
		if err != nil {
			return r, fmt.Errorf("read the prompt: %w", err)
		}
		r.Text = string(b)
	}
	if r.After, r.Fill = f.suffix, f.suffix != "" || f.suffixFile != ""; f.suffixFile != "" {
		b, err := e.readAll(f.suffixFile, 1<<28)
		if err != nil {
			return r, fmt.Errorf("read the suffix: %w", err)
		}
		r.After = string(b)
	}
	if f.draftFile != "" {
		b, err := e.readAll(f.draftFile, 1<<28)
		if err != nil {
			return r, fmt.Errorf("read the draft: %w", err)
		}
		r.Draft = string(b)
	}
	if f.promptTokens != "" {
		if r.Tokens, err = tokenIDs(f.promptTokens); err != nil {
			return r, err
		}
	}
	return r, nil
}

func tokenIDs(list string) (out []int32, err error) {
	for _, word := range strings.Split(list, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32)
		if errors.Is(err, strconv.ErrRange) {
			return nil, usageError("--prompt-tokens: %.30s is too large for the number of a token", strings.TrimSpace(word))
		}
		if err != nil {
			return nil, usageError("--prompt-tokens: %.20q is no number of a token", word)
		}
		out = append(out, int32(id))
	}
	return out, nil
}

func (e *env) generate(ctx context.Context, f generateFlags, words []string) (err error) {
	path, err := e.modelFile(f.model)
	if err != nil {
		return err
	}
	r, err := f.raw(e, words)
	if err != nil {
		return err
	}
	done := func(bool) error { return nil }
	if f.logits != "" {
		if r.Logits, done, err = e.logitsFile(f.logits, path); err != nil {
			return err
		}
	}
	wait := e.startWaiting()
	w, err := local.Generate(ctx, path, r, wait.loading, func(text string) error {
		wait.over()
		if !e.json {
			fmt.Fprint(e.out, clean(text))
		}
		return nil
	})
	wait.over()
	stopped := err != nil && ctx.Err() != nil
	if stopped {
		w.Stop, err = "stopped", errors.New("stopped")
	}
	if err == nil || stopped && len(w.Tokens) > 0 {
		e.sayGenerated(f.model, w)
	}
	return errors.Join(err, done(err == nil))
}

// logitsFile returns what takes the logits, and what ends that: until then they are in a file beside, which
// takes the place of an older one only when all went well.
func (e *env) logitsFile(name, model string) (io.Writer, func(ok bool) error, error) {
	path := e.around().file(name)
	info, err := os.Stat(path)
	if of, bad := os.Stat(model); err == nil && bad == nil && os.SameFile(info, of) {
		return nil, nil, usageError("--logits: %s is the model itself", name)
	}
	if err == nil && !info.Mode().IsRegular() { // a pipe or a device
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, nil, fmt.Errorf("write the logits: %w", err)
		}
		out := bufio.NewWriterSize(file, 1<<20)
		return out, func(bool) error { return notWritten(name, errors.Join(out.Flush(), file.Close())) }, nil
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".logits-*")
	if err != nil {
		return nil, nil, fmt.Errorf("write the logits: %w", err)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	return out, func(ok bool) error {
		err := errors.Join(out.Flush(), file.Close())
		if ok && err == nil {
			err = os.Rename(file.Name(), path)
		}
		if !ok || err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
		return notWritten(name, err)
	}, nil
}

func notWritten(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write the logits to %s: %w", name, err)
}

// generated is what --json prints.
type generated struct {
	Model        string           `json:"model"`
	PromptTokens int              `json:"prompt_tokens"`
	Tokens       []int32          `json:"tokens"`
	Text         string           `json:"text"`
	Stop         string           `json:"stop"`
	Timings      generatedTimings `json:"timings"`
	Calls        []generatedCall  `json:"calls"`
	Wafer        *generatedWafer  `json:"wafer"` // null: the model has no place on it
}

type generatedTimings struct {
	Load         float64 `json:"load_ms"`
	Tokenize     float64 `json:"tokenize_ms"`
	Prefill      float64 `json:"prefill_ms"`
	PrefillSpeed float64 `json:"prefill_tok_s"`
	First        float64 `json:"first_token_ms"`
	Decode       float64 `json:"decode_ms"`
	DecodeSpeed  float64 `json:"decode_tok_s"`
	Drafted      int     `json:"drafted"`
	Accepted     int     `json:"accepted"`
}

type generatedCall struct {
	Tokens  int `json:"tokens"`
	Depth   int `json:"depth"`
	Drafted int `json:"drafted,omitempty"`
}

// generatedWafer is what the same calls would take on an emulated WSE-3.
type generatedWafer struct {
	Cycles float64     `json:"cycles"`
	TokS   float64     `json:"estimated_tok_s"`
	Band   *wafer.Band `json:"band"`
}

// onWafer estimates the calls that were made; nil for a model that has no place on the wafer.
func onWafer(w local.Written) *generatedWafer {
	m, err := wafer.MachineByName("wse-3")
	if err != nil {
		return nil
	}
	calls := make([]wafer.Call, len(w.Calls))
	for i, c := range w.Calls {
		calls[i] = wafer.Call{Tokens: c.Tokens, Depth: c.Depth}
	}
	cycles, report, err := wafer.Tally(wafer.Request{Machine: m, Model: w.Config, Input: len(w.Prompt),
		Output: max(1, len(w.Tokens)), Context: len(w.Prompt) + len(w.Tokens)}, calls)
	if err != nil {
		return nil
	}
	return &generatedWafer{cycles, math.Round(report.DecodeTokS), report.Band}
}

// loading says how much of a model was read.
func (w *waiting) loading(done, total int64) {
	if total > 0 {
		w.say(fmt.Sprintf("loading: %d %%", 100*done/total))
	}
}

func timingsOf(w local.Written) generatedTimings {
	ms := func(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }
	speed := func(n int, d time.Duration) float64 {
		if n < 1 || d <= 0 {
			return 0
		}
		return math.Round(10*float64(n)/d.Seconds()) / 10
	}
	return generatedTimings{ms(w.Load), ms(w.Tokenize), ms(w.Prefill), speed(len(w.Prompt), w.Prefill), ms(w.First),
		ms(w.Decode), speed(len(w.Tokens)-1, w.Decode), w.Drafted, w.Accepted}
}

func (e *env) sayGenerated(name string, w local.Written) {
	t := timingsOf(w)
	if e.json {
		g := generated{name, len(w.Prompt), w.Tokens, w.Text, w.Stop, t, []generatedCall{}, onWafer(w)}
		for _, c := range w.Calls {
			g.Calls = append(g.Calls, generatedCall(c))
		}
		jsonOut(e.out, g)
		return
	}
	fmt.Fprintln(e.out)
	speed := ""
	if t.DecodeSpeed > 0 {
		speed = " at " + figure(t.DecodeSpeed) + " tok/s"
	}
	guesses := ""
	if w.Drafted > 0 {
		guesses = fmt.Sprintf(", %d of %d guessed tokens right", w.Accepted, w.Drafted)
	}
	fmt.Fprintf(e.err, "loaded in %s ms; %s read at %s tok/s; %s written%s%s\n", figure(t.Load),
		count(len(w.Prompt), "token"), figure(t.PrefillSpeed), count(len(w.Tokens), "token"), speed, guesses)
}
