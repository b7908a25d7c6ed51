package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"waferpair/app/spending"
)

// costDays is how far back 'models cost' looks, today included.
const costDays = 30

func modelsCostCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "cost", Short: "Show what language models cost today and in the last 30 days",
		Long: `cost adds up what requests to language models cost, in all projects, windows and
commands of yours: today and in the last 30 days, by model and by project. The prices are
those of config.toml; a model without a price counts with its tokens only. What a provider
did not count, or what was cut, is estimated, and marked "about".

A daily budget is a line of config.toml:

  [limits]
  daily_budget_usd = 5.0

A request beyond it is not sent, unless it has --over-budget. A day begins at midnight, local time.

With --json each line is {"days","of","name","usd","estimated_usd","requests","without_price",
"input_tokens","output_tokens"}: days is 1 or 30, of is total, model or project; the total of one day
has the budget too ("budget_usd").`,
		Example: "  waferpair models cost\n  waferpair models cost --json",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return e.showCost()
		},
	}
}

func (e *env) showCost() error {
	now := e.providers.Ledger.Now()
	today, err := e.providers.Ledger.Spent(now, now)
	if err != nil {
		return err
	}
	month, err := e.providers.Ledger.Spent(now.AddDate(0, 0, 1-costDays), now)
	if err != nil {
		return err
	}
	budget := e.providers.File.Read().DailyBudget
	e.warnConfig()
	if e.json {
		jsonCost(e, 1, today, budget)
		jsonCost(e, costDays, month, 0)
	} else {
		e.printCost(now, today, month, budget)
	}
	if month.Damaged > 0 {
		fmt.Fprintf(e.err, "waferpair: %s of the ledger cannot be read; what they say is not counted\n",
			count(month.Damaged, "line"))
	}
	return nil
}

// costJSON is a line of --json.
type costJSON struct {
	Days   int     `json:"days"`
	Of     string  `json:"of"`
	Name   string  `json:"name,omitempty"`
	Budget float64 `json:"budget_usd,omitempty"`
	spending.Total
}

func jsonCost(e *env, days int, s spending.Sum, budget float64) {
	jsonOut(e.out, costJSON{Days: days, Of: "total", Budget: budget, Total: s.Total})
	for _, name := range spending.Dearest(s.Models) {
		jsonOut(e.out, costJSON{Days: days, Of: "model", Name: name, Total: s.Models[name]})
	}
	for _, name := range spending.Dearest(s.Projects) {
		jsonOut(e.out, costJSON{Days: days, Of: "project", Name: name, Total: s.Projects[name]})
	}
}

func (e *env) printCost(now time.Time, today, month spending.Sum, budget float64) {
	line := costWords(today.Total)
	switch {
	case budget > 0 && today.Dollars < budget:
		line += fmt.Sprintf(" of %s; %s is left", spending.Dollars(budget), spending.Dollars(budget-today.Dollars))
	case budget > 0:
		line += fmt.Sprintf(" of %s: the budget is used up", spending.Dollars(budget))
	}
	fmt.Fprintf(e.out, "today, %s:  %s\n", now.Format("January 2"), line)
	fmt.Fprintf(e.out, "last %d days:  %s\n", costDays, costWords(month.Total))
	e.costTable("by model", today.Models, month.Models, clean)
	e.costTable("by project", today.Projects, month.Projects, projectWords)
	if budget == 0 {
		fmt.Fprintf(e.out, "\nThere is no daily budget; daily_budget_usd = 5.0 below [limits] in %s sets one.\n",
			clean(e.providers.File.Path()))
	}
}

// costWords says what requests cost.
func costWords(t spending.Total) string {
	s := spending.Dollars(t.Dollars)
	if t.Estimated > 0 {
		s = "about " + s
	}
	switch {
	case t.Requests == 0:
		return "nothing was asked"
	case t.Unpriced == t.Requests:
		s = "price unknown"
	case t.Unpriced > 0:
		s += fmt.Sprintf(" (without %s of models without a price)", count(t.Unpriced, "request"))
	}
	return s
}

// costTable prints a row for each name.
func (e *env) costTable(title string, today, month map[string]spending.Total, say func(string) string) {
	if len(month) == 0 {
		return
	}
	width := 0
	for name := range month {
		width = max(width, utf8.RuneCountInString(say(name)))
	}
	row := func(name string, cells ...string) {
		pad := strings.Repeat(" ", width-min(width, utf8.RuneCountInString(name)))
		fmt.Fprintf(e.out, "  %s%s  %14s  %14s  %9s  %8s\n", name, pad, cells[0], cells[1], cells[2], cells[3])
	}
	fmt.Fprintf(e.out, "\n%s\n", title)
	row("", "today", fmt.Sprintf("%d days", costDays), "requests", "tokens")
	for _, name := range spending.Dearest(month) {
		t := month[name]
		row(say(name), shortCost(today[name]), shortCost(t), thousands(t.Requests), shortCount(t.Input+t.Output))
	}
}

// shortCost is a cell of the table.
func shortCost(t spending.Total) string {
	switch {
	case t.Requests == 0:
		return "-"
	case t.Unpriced == t.Requests:
		return "price unknown"
	case t.Estimated > 0:
		return "about " + spending.Dollars(t.Dollars)
	}
	return spending.Dollars(t.Dollars)
}

// projectWords is a project's folder, as a shell would name it.
func projectWords(folder string) string {
	if folder == "" {
		return "tests of providers"
	}
	if rest, err := filepath.Rel(xdg.Home, folder); err == nil && rest != "." && filepath.IsLocal(rest) {
		return cleanName(filepath.Join("~", rest))
	}
	return cleanName(folder)
}
