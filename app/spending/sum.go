package spending

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/model"
)

// Sum is what requests cost together.
type Sum struct {
	Total
	Models   map[string]Total
	Projects map[string]Total
	Damaged  int // lines that cannot be read
}

// Total is what some requests cost.
type Total struct {
	Dollars   float64 `json:"usd"`           // as far as prices are known
	Estimated float64 `json:"estimated_usd"` // of Dollars: the providers did not count the tokens
	Requests  int     `json:"requests"`
	Unpriced  int     `json:"without_price"` // of Requests: their price is unknown
	Input     int     `json:"input_tokens"`
	Output    int     `json:"output_tokens"`
}

func (t Total) add(u Total) Total {
	return Total{t.Dollars + u.Dollars, t.Estimated + u.Estimated, t.Requests + u.Requests, t.Unpriced + u.Unpriced,
		t.Input + u.Input, t.Output + u.Output}
}

func (s *Sum) take(e Entry) {
	t := Total{Dollars: e.dollars(), Requests: 1, Input: e.Input, Output: e.Output}
	if e.Dollars == nil {
		t.Unpriced = 1
	}
	if e.Estimated {
		t.Estimated = t.Dollars
	}
	s.Total = s.Total.add(t)
	s.Models[e.Model] = s.Models[e.Model].add(t)
	s.Projects[e.Project] = s.Projects[e.Project].add(t)
}

// Add returns the sum of both.
func (s Sum) Add(o Sum) Sum {
	return Sum{s.Total.add(o.Total), added(s.Models, o.Models), added(s.Projects, o.Projects), s.Damaged + o.Damaged}
}

func added(to, of map[string]Total) map[string]Total {
	if to == nil {
		to = map[string]Total{}
	}
	for name, t := range of {
		to[name] = to[name].add(t)
	}
	return to
}

// Dearest lists the names of totals, the one that cost most first.
func Dearest(of map[string]Total) []string {
	return slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b].Dollars, of[a].Dollars), cmp.Compare(of[b].Requests, of[a].Requests),
			cmp.Compare(a, b))
	})
}

// OverError means that a request would go beyond the daily budget. It was not sent.
type OverError struct {
	Budget float64
	Asks   float64 // at least, about: the price of the prompt
	Spent  Sum     // today

	Kept    float64 // for answers in flight
	Answers int     // how many these are; 0: they are not why
}

// OverCode is the code of turns that were refused for it.
const OverCode model.Code = "budget"

// Code returns OverCode.
func (e *OverError) Code() model.Code { return OverCode }

// besides is what the user can do; the page makes a button of it.
const besides = "send it with --over-budget, or raise daily_budget_usd in config.toml; " +
	"'waferpair models cost' says what it was for"

func (e *OverError) Error() string {
	var on []string
	for _, name := range Dearest(e.Spent.Models) {
		if t := e.Spent.Models[name]; t.Dollars > 0 && len(on) < 3 {
			on = append(on, name+" "+Dollars(t.Dollars))
		}
	}
	spent := Dollars(e.Spent.Dollars) + " is spent"
	if len(on) > 0 {
		spent += " (" + strings.Join(on, ", ") + ")"
	}
	if e.Answers > 0 {
		running := "another request is"
		if e.Answers > 1 {
			running = fmt.Sprintf("%d other requests are", e.Answers)
		}
		return fmt.Sprintf("not sent, because of today's budget of %s: %s, %s being answered, for which about %s more is "+
			"kept back, and this one may cost %s; wait until that has ended, %s", Dollars(e.Budget), spent, running,
			Dollars(e.Kept), Dollars(e.Asks), besides)
	}
	return fmt.Sprintf("not sent, because of today's budget of %s: %s, and this request would cost about %s and its "+
		"answer; %s", Dollars(e.Budget), spent, Dollars(e.Asks), besides)
}

// Dollars writes an amount: in cents, or, below ten, with two digits that count.
func Dollars(amount float64) string {
	digits := 2
	for small := amount; small > 0 && small < 0.0995 && digits < 8; small *= 10 {
		digits++
	}
	s := strconv.FormatFloat(amount, 'f', digits, 64)
	for len(s) > len(s[:strings.IndexByte(s, '.')])+3 && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return "$" + s
}
