package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/engine"
	"waferpair/engine/model"
)

func modelsCommand(e *env) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the models", Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			for _, m := range e.models.List() {
				if e.json {
					jsonOut(e.out, m)
					continue
				}
				fmt.Fprintf(e.out, "%-12s %s\n", m.Name, m.Help)
			}
			for _, o := range e.models.Openers() {
				if e.json {
					jsonOut(e.out, o.Info())
					continue
				}
				fmt.Fprintf(e.out, "%-12s %s\n", o.Info().Name, o.Help)
			}
			return nil
		},
	}
	show := &cobra.Command{
		Use: "show MODEL", Short: "Show what a model can do", Args: args(cobra.ExactArgs(1)),
		Example: "  waferpair models show spark",
		RunE: func(_ *cobra.Command, words []string) error {
			d, err := e.models.Open(words[0])
			if err != nil {
				return usageError("%w", err)
			}
			e.showModel(d)
			return nil
		},
	}
	return group("models", "List the models and what they can do", "", list, show)
}

func (e *env) showModel(d engine.Driver) {
	var ops []model.Operation
	if o, ok := engine.As[model.Operator](d); ok {
		ops = o.Operations()
	}
	info := d.Info()
	if e.json {
		jsonOut(e.out, struct {
			model.Info
			Operations []model.Operation `json:"operations,omitempty"`
		}{info, ops})
		return
	}
	fmt.Fprintf(e.out, "%s (%s): %s\n", info.Name, info.Kind, info.Help)
	for _, op := range ops {
		fmt.Fprintf(e.out, "\n  %s (%s)\n      %s\n      waferpair edit %q\n", op.Name, strings.Join(op.Languages, ", "),
			op.Help, op.Example)
	}
}
