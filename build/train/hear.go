package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"waferpair/engine/spark/propose"
)

// hear prints what the voices make of each line of the standard input, a request about a
// project, and what keeps it from being carried out unasked.
func hear(p *propose.Proposer, project string, roots []root) error {
	table, err := readTable(project, roots)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r request
		text := lines.Text()
		if at, rest, ok := strings.Cut(text, " "); ok && strings.HasPrefix(at, "@") {
			r.text = rest
			if err := r.take(at); err != nil {
				return err
			}
			text = rest
		}
		u := p.Understand(context.Background(), text, table, r.at)
		fmt.Printf("%s\n  %s (least %.2f, declined %.2f)\n", text, orSure(u.Doubt()), u.Least, u.Declined)
		for _, q := range u.Proposals[:min(4, len(u.Proposals))] {
			fmt.Printf("  %.3f %v %s lacks %v loose %v\n", q.Probability, q.Program, q.Target.File, q.Lacks, q.Loose)
		}
	}
	return lines.Err()
}

func orSure(doubt string) string {
	if doubt == "" {
		return "sure"
	}
	return doubt
}
