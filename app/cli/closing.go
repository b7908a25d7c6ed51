package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"waferpair/app/spending"
	"waferpair/engine"
)

// closingLine sums up the turn: edits and files, then what it took. The figures of a language
// model are tokens and what they cost; the built-in model has times only.
func closingLine(o engine.Outcome, asks bool) string {
	took, by := speedLine(o.Timing), modelWords(o.Model, o.Auto)
	switch {
	case asks && o.Status == engine.Completed:
		return join("answered", by, took)
	case len(o.Edits) == 0:
		return join("no edits", by, took)
	}
	added, removed := 0, 0
	for _, f := range o.Files {
		added += f.Added
		removed += f.Removed
	}
	ids := fmt.Sprint(o.Edits[0])
	if n := len(o.Edits); n > 1 {
		ids = fmt.Sprintf("%d-%d", o.Edits[0], o.Edits[n-1])
	}
	if took == "" {
		took = fmt.Sprintf("first edit text after %.0f ms, %.0f ms in all", millis(o.Timing.Context+o.Timing.TTFT),
			millis(o.Timing.Total))
	}
	return join("edit "+ids, fmt.Sprintf("%s, +%d -%d", count(len(o.Files), "file"), added, removed), by, took)
}

// modelWords is the model of a turn, and why it was chosen if the user did not.
func modelWords(name, auto string) string {
	if auto == "" {
		return name
	}
	return cleanName("auto: " + auto)
}

// speedLine is what a turn took of a language model; "" for others.
func speedLine(t engine.Timing) string {
	if t.Rounds == 0 {
		return ""
	}
	var speed, first, tokens, cost string
	if s := t.TokensPerSecond(); s > 0 {
		speed = thousands(int(s+0.5)) + " tok/s"
	}
	if t.TTFT > 0 {
		first = seconds(t.Context+t.TTFT) + " to first token"
	}
	if n := t.Usage.Input + t.Usage.Output; n > 0 {
		tokens = shortCount(n) + " tokens"
		if t.Usage.Estimated {
			tokens = "about " + tokens
		}
		if t.Usage.Cached > 0 {
			tokens += ", " + shortCount(t.Usage.Cached) + " cached"
		}
	}
	if t.Cost != nil {
		cost = spending.Dollars(*t.Cost)
	}
	rounds := ""
	if t.Rounds > 1 {
		rounds = count(t.Rounds, "round")
	}
	return join(rounds, speed, first, tokens, cost)
}

// join joins what is not empty.
func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " · ")
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func seconds(d time.Duration) string {
	if d < 95*time.Millisecond {
		return fmt.Sprintf("%.0f ms", millis(d))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// thousands writes 12345 as 12,345.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// shortCount writes 12345 as 12k.
func shortCount(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%.0fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
