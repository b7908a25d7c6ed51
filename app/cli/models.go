package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/engine"
)

func modelsCommand(e *env) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the models", Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			eng := engine.New()
			for _, m := range eng.Models() {
				if e.json {
					jsonOut(e.out, m)
					continue
				}
				fmt.Fprintf(e.out, "%-12s %s\n", m.Name, m.Help)
			}
			for _, k := range eng.Kinds() {
				if e.json {
					jsonOut(e.out, engine.Info{Name: k.Prefix + "FILE", Kind: strings.TrimSuffix(k.Prefix, ":"), Help: k.Help, Offline: true})
					continue
				}
				fmt.Fprintf(e.out, "%-12s %s\n", k.Prefix+"FILE", k.Help)
			}
			return nil
		},
	}
	show := &cobra.Command{
		Use: "show MODEL", Short: "Show what a model can do", Args: args(cobra.ExactArgs(1)),
		Example: "  waferpair models show spark",
		RunE: func(_ *cobra.Command, words []string) error {
			m, err := engine.New().Model(words[0])
			if err != nil {
				return usageError("%w", err)
			}
			e.showModel(m)
			return nil
		},
	}
	return group("models", "List the models and what they can do", "", list, show)
}

func (e *env) showModel(m engine.Model) {
	var ops []engine.Operation
	if spark, ok := m.(*engine.Spark); ok {
		ops = spark.Operations()
	}
	info := m.Info()
	if e.json {
		jsonOut(e.out, struct {
			engine.Info
			Operations []engine.Operation `json:"operations,omitempty"`
		}{info, ops})
		return
	}
	fmt.Fprintf(e.out, "%s (%s): %s\n", info.Name, info.Kind, info.Help)
	for _, op := range ops {
		fmt.Fprintf(e.out, "\n  %s (%s)\n      %s\n      waferpair edit %q\n", op.Name, strings.Join(op.Languages, ", "), op.Help, op.Example)
	}
}
