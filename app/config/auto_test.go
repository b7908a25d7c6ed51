package config

import (
	"strings"
	"testing"
)

func TestAuto(t *testing.T) {
	c := Parse("c.toml", []byte(`model_providers.openai.base_url = "https://o/v1"
[auto]
ask = "openai/gpt-5.5"
default = "local/qwen3:30b"
edit = "spark"
cook = "openai/gpt-5.5"
docs = 5
tests = "no slash"
review = "auto"
commit = "qwen2.5-coder"
explain = "gguf:/models/x y.gguf"
`))
	if c.Problem != nil {
		t.Fatal(c.Problem)
	}
	for kind, want := range map[string][2]string{"ask": {"openai/gpt-5.5", "auto.ask"}, "edit": {"spark", "auto.edit"},
		"docs": {"local/qwen3:30b", "auto.default"}, "tests": {"local/qwen3:30b", "auto.default"},
		"commit": {"qwen2.5-coder", "auto.commit"}, "explain": {"gguf:/models/x y.gguf", "auto.explain"}} {
		if name, key := c.Auto.Model(kind); [2]string{name, key} != want {
			t.Errorf("%s: %s by %s, want %v", kind, name, key, want)
		}
	}
	var said []string
	for _, u := range c.Unknown {
		said = append(said, u.Error())
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"c.toml:6:1: auto.cook: there is no such kind", "c.toml:7:1: auto.docs: it must be text",
		"c.toml:8:1: auto.tests: it is no name of a model", "c.toml:9:1: auto.review: it is no name",
		`c.toml:4:1: auto.default: there is no provider "local"`} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	if len(said) != 5 {
		t.Error(all)
	}
	if name, key := (Auto{}).Model("ask"); name != "" || key != "" {
		t.Errorf("without a table: %s by %s", name, key)
	}
}

func TestDailyBudget(t *testing.T) {
	for line, want := range map[string]float64{"daily_budget_usd = 5.5": 5.5, "daily_budget_usd = 3": 3, "": 0,
		"weekly = 3": 0} {
		if c := Parse("c.toml", []byte("[limits]\n"+line)); c.Problem != nil || c.DailyBudget != want ||
			(line == "weekly = 3") != (len(c.Unknown) == 1) {
			t.Errorf("%s: %v, %v, %v", line, c.DailyBudget, c.Problem, c.Unknown)
		}
	}
	for _, line := range []string{"daily_budget_usd = -1", "daily_budget_usd = 0", `daily_budget_usd = "5"`,
		"daily_budget_usd = inf", "daily_budget_usd = nan"} {
		c := Parse("c.toml", []byte("[limits]\n"+line))
		if c.Problem == nil ||
			!strings.Contains(c.Problem.Error(), "c.toml:2:1: limits.daily_budget_usd: it must be dollars") ||
			c.DailyBudget != 0 {
			t.Errorf("%s: %v", line, c.Problem)
		}
	}
}
