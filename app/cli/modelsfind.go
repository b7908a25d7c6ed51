package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"waferpair/app/modelfiles"
	"waferpair/engine/gguf"
	"waferpair/engine/refactor/words"
)

func modelsFindCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "find", Short: "Find the model files of other programs",
		Long: `find looks for model files of LM Studio, llama.cpp, Hugging Face's cache, GPT4All and
Ollama, and says how to add them. Nothing is copied or moved.

There are none yet? Models for code that run well on a processor, at huggingface.co:
  Qwen2.5-Coder-0.5B-Instruct-GGUF   q8_0     0.5 GB   quick, small edits
  Qwen2.5-Coder-1.5B-Instruct-GGUF   q4_k_m   1.1 GB   better; with 4 GB of memory
  Qwen2.5-Coder-7B-Instruct-GGUF     q4_k_m   4.7 GB   good, and slow; with 8 GB of memory`,
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
				fmt.Fprintln(e.out, "no other program has model files here; 'waferpair models find --help' says where to get some")
			}
			return nil
		},
	}
}

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
		fmt.Fprintf(e.out, "%s (%s, %s) does not run here: %s\n", clean(f.Name), f.From, bytesWords(f.Bytes),
			clean(line.Error))
	default:
		fmt.Fprintf(e.out, "%s (%s, %s)\n  waferpair models add %s --name %s\n", clean(f.Name), f.From, bytesWords(f.Bytes),
			words.Shell(f.File), f.Name)
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
