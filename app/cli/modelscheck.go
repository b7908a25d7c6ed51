package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"waferpair/engine/infer"
	"waferpair/engine/local"
)

// checkFlags are the flags of 'models check'.
type checkFlags struct {
	text    string
	tokens  int
	threads int
}

func modelsCheckCommand(e *env) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check NAME|FILE.gguf",
		Short: "Compare a model file's answers with those of its weights as float32",
		Long: `check runs a short text twice: as answers are computed here, and slowly, with the same file's
weights as float32 and nothing rounded in between. It says how far the two are apart: the
difference of the logits, relative to their size (RMS); how much the probabilities of the
next token differ (KL divergence, mean over the text); how often the most likely token is
the same; and how well either run foresees the text (perplexity: 1 is all of it).

It compares what this program computes with what the file says. What the quantisation itself
has cost the model is in both runs alike; to see that, compare the perplexity of two files
of the model on the same text.

It exits with 1 if the difference is more than the program's own rounding makes: a relative
RMS above 0.03, or a KL divergence above 0.0003.

The weights are read layer by layer, so that a file is checked that would not fit into the
memory as float32. It takes a while: half a minute for 0.5 B parameters and 128 tokens on
two cores, and in proportion.`,
		Example: "  waferpair models check qwen\n" +
			"  waferpair models check ~/models/qwen2.5-coder-0.5b-q8_0.gguf --text main.go --tokens 512",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.checkModelFile(cmd.Context(), words[0], f)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.text, "text", "", "a `file` with the text (- is standard input); default: some prose and code")
	fl.IntVar(&f.tokens, "tokens", 128, "compare at the first `N` tokens of it")
	fl.IntVar(&f.threads, "threads", 0,
		"compute answers with so `many` threads; 0: as config.toml says, or one for each core")
	return c
}

// checkedFile is what --json prints.
type checkedFile struct {
	Model           string   `json:"model"`
	File            string   `json:"file"`
	Tokens          int      `json:"tokens"`
	Computed        string   `json:"computed_with"`
	RMS             *float64 `json:"relative_rms"` // null, here and below: a damaged file gives no number
	KL              *float64 `json:"mean_kl"`
	Same            float64  `json:"same_most_likely"` // share of positions
	Perplexity      *float64 `json:"perplexity"`
	FloatPerplexity *float64 `json:"float_perplexity"`
	MostRMS         float64  `json:"most_relative_rms"`
	MostKL          float64  `json:"most_mean_kl"`
	Within          bool     `json:"within"`
	Says            string   `json:"says"`
}

// mostChecked bounds a comparison to what ends within an hour or so.
const mostChecked = 1 << 16

func (e *env) checkModelFile(ctx context.Context, word string, f checkFlags) error {
	switch {
	case f.tokens < 2:
		return usageError("--tokens %d: two tokens are the least that can be compared", f.tokens)
	case f.tokens > mostChecked:
		return usageError("--tokens %d: at most %d are compared", f.tokens, mostChecked)
	}
	path, err := e.fileOf(word)
	if err != nil {
		return err
	}
	o := local.Comparing{Most: f.tokens}
	if o.Threads, err = e.threads(f.threads); err != nil {
		return err
	}
	if f.text != "" {
		text, err := e.readAll(f.text, int64(f.tokens)*local.TokenBytes)
		if err != nil {
			return fmt.Errorf("read the text: %w", err)
		}
		if o.Text = string(text); o.Text == "" {
			return usageError("--text: %s is empty", f.text)
		}
	}
	wait := e.startWaiting()
	o.Note = func(share float64) { wait.say(fmt.Sprintf("comparing: %.0f %%", 100*share)) }
	c, err := local.Compare(ctx, path, o)
	wait.over()
	if err != nil && ctx.Err() != nil {
		return errors.New("stopped")
	}
	if err != nil {
		return err
	}
	e.sayChecked(word, path, c)
	if !c.Within() {
		return &codeError{code: exitFailed, err: errors.New("the difference is out of bounds"), quiet: true}
	}
	return nil
}

// fileOf returns the file of a word: a model file that was added, or the path of one.
func (e *env) fileOf(word string) (string, error) {
	if !e.isFileName(word) && e.isModelFile(word) {
		word = "gguf:" + word
	}
	name := ""
	if err := e.modelValue(&name).Set(word); err != nil {
		return "", err
	}
	return e.modelFile(name)
}

func (e *env) sayChecked(name, path string, c local.Compared) {
	says := checkedWords(c)
	if e.json {
		jsonOut(e.out, checkedFile{Model: name, File: path, Tokens: c.Tokens, Computed: c.Backend, RMS: finite(c.RMS()),
			KL: finite(c.KL()), Same: c.Same(), Perplexity: finite(c.Perplexity), FloatPerplexity: finite(c.FloatPerplexity),
			MostRMS: infer.MostRMS, MostKL: infer.MostKL, Within: c.Within(), Says: says})
		return
	}
	row := func(what, says string) { fmt.Fprintf(e.out, "  %-22s %s\n", what, says) }
	fmt.Fprintf(e.out, "%s\n", cleanName(path))
	row("compared", fmt.Sprintf("at %s, computed with %s, with the file's own weights as float32",
		count(c.Tokens, "token"), c.Backend))
	row("logits", fmt.Sprintf("differ by %.2g of their size (relative RMS; at most %v)", c.RMS(), infer.MostRMS))
	row("probabilities", fmt.Sprintf("differ by %.1e (mean KL divergence; at most %v)", c.KL(), infer.MostKL))
	row("most likely token", fmt.Sprintf("the same at %.1f %% of the positions", 100*c.Same()))
	row("perplexity", figure(c.Perplexity)+"; "+figure(c.FloatPerplexity)+" as float32")
	fmt.Fprintln(e.out, says)
}

// finite returns a number that JSON has.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// usual are the differences that are seen of most files: of matrices of integers, whose inputs are rounded to eight
// bits, and of others, where only keys and values are rounded.
const usualIntegers, usualFloats = 0.025, 0.002

// fewTokens are too few to say that a difference is more than rounding.
const fewTokens = 64

// checkedWords says what a comparison means.
func checkedWords(c local.Compared) string {
	kind, usual := "a quantised file", usualIntegers
	if !c.Integers {
		kind, usual = "a file that is not quantised", usualFloats
	}
	switch {
	case finite(c.RMS()) == nil || finite(c.KL()) == nil:
		return "The logits are no numbers: the file is damaged, or its numbers are too large to compute with; get it again."
	case !c.Within() && c.Tokens < fewTokens:
		return fmt.Sprintf("That is more than rounding makes on average, which one of %d tokens alone can do: compare more "+
			"of them (--tokens).", c.Tokens)
	case !c.Within():
		return "That is more than rounding makes: answers are worse than this file can give. Take the model in another " +
			"quantisation (F16 or Q8_0), and report this, with the file's name."
	case c.RMS() <= usual:
		return fmt.Sprintf("That is what %s normally gives here: rounding, which no answer shows.", kind)
	}
	return fmt.Sprintf("That is more than %s normally gives here (%v), and within the bounds: rounding, which answers "+
		"hardly show.", kind, usual)
}
