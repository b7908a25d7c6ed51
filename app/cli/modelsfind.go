package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/app/modelfiles"
	"waferpair/engine/gguf"
	"waferpair/engine/refactor/words"
)

func modelsFindCommand(e *env) *cobra.Command {
	c := &cobra.Command{
		Use: "find", Short: "Find the model files of other programs",
		Long: `find looks for model files of LM Studio, llama.cpp, Hugging Face's cache, GPT4All and
Ollama, and says how to add them. Nothing is copied or moved.`,
		Example: "  waferpair models find\n  waferpair models find --json",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("find model files: %w", err)
			}
			found := modelfiles.Find(home, os.Getenv)
			for _, f := range found {
				e.printFound(f)
			}
			if len(found) == 0 && !e.json {
				fmt.Fprintf(e.out, "No other program has model files here.\n\n%s\n", whereFrom(e.fileSettings().Room()))
			}
			return nil
		},
	}
	e.explainFiles(c)
	return c
}

// explainFiles adds to a command's help where there are model files. It is worked out when somebody asks.
func (e *env) explainFiles(c *cobra.Command) {
	c.SetHelpFunc(func(c *cobra.Command, words []string) {
		c.Long += "\n\n" + whereFrom(e.fileSettings().Room())
		c.Parent().HelpFunc()(c, words)
	})
}

// sizes are the usual models for code and chat, by their billions of parameters: how large a file is in the
// quantisation that suits it, in GB, and what it is good for on a processor.
var sizes = []struct {
	billions float64
	stored   string
	size     float64
	good     string
}{
	{0.5, "q8_0", 0.5, "quick, for small edits"},
	{1.5, "q4_k_m", 1.1, "better, and still quick"},
	{3, "q4_k_m", 2.0, "good for one file"},
	{7, "q4_k_m", 4.7, "good, and slow"},
	{14, "q4_k_m", 9.0, "very good, and very slow on a processor"},
	{32, "q4_k_m", 19.9, "for servers: a few tokens a second"},
	{70, "q4_k_m", 42.5, "for servers: a token or two a second"},
}

// whereFrom says where there are model files, and which fit into so much memory, in bytes.
func whereFrom(memory int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `Model files end in .gguf. The Hugging Face hub has most of them: the makers' own
(search it for Qwen2.5-Coder Instruct GGUF), and those that others have converted.
LM Studio and Ollama get such files, too; 'waferpair models find' finds them.
Take a model of the families llama, qwen2 or qwen3 that was trained for instructions.
Loaded models may take %s of this computer's memory: with the context beside it, that is
room for one of:
`, gigabytes(memory))
	some := false
	for _, s := range sizes {
		if s.size*1e9*(1+besideWeights) <= float64(memory) {
			some = true
			fmt.Fprintf(&b, "  %4g B parameters   %-7s %5.1f GB   %s\n", s.billions, s.stored, s.size, s.good)
		}
	}
	if !some {
		b.WriteString("  none of the usual sizes; a model of less than 0.5 B parameters may\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// besideWeights is what keys, values and work take, as a part of the weights.
const besideWeights = 0.2

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// foundFile is a found file, and why it cannot run.
type foundFile struct {
	modelfiles.Found
	Error string `json:"error,omitempty"`
}

func (e *env) printFound(f modelfiles.Found) {
	line := foundFile{Found: f}
	if err := runs(f.File); err != nil {
		line.Error = err.Error()
	}
	switch {
	case e.json:
		jsonOut(e.out, line)
	case line.Error != "":
		fmt.Fprintf(e.out, "%s (%s, %s) does not run here: %s\n", cleanName(f.Name), f.From, bytesWords(f.Bytes),
			cleanName(line.Error))
	default:
		fmt.Fprintf(e.out, "%s (%s, %s)\n  waferpair models add %s --name %s\n", cleanName(f.Name), f.From,
			bytesWords(f.Bytes), words.Shell(f.File), f.Name)
	}
}

// runs returns why a file cannot be run.
func runs(path string) (err error) {
	f, err := gguf.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := f.Config()
	if err != nil {
		return err
	}
	return c.Runnable()
}
