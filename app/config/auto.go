package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kinds are the kinds of tasks for which [auto] can name a model.
var Kinds = []string{"edit", "ask", "review", "docs", "tests", "commit", "explain"}

// Auto is the table [auto]: the models for kinds of tasks, by their names: PROVIDER/MODEL, or that of a model file.
type Auto struct {
	Models  map[string]string
	Default string // for the kinds that it does not name; ""
}

// Model returns the model for a kind of task, and the key of config.toml that names it; "" when
// none does.
func (a Auto) Model(kind string) (name, key string) {
	if name := a.Models[kind]; name != "" {
		return name, "auto." + kind
	}
	if a.Default != "" {
		return a.Default, "auto.default"
	}
	return "", ""
}

// auto reads the table [auto]. A mistake in it is named, and the line is as if it were not there.
func (r *reader) auto(top *table, has func(provider string) bool) Auto {
	own := *top
	own.problems = &r.unknown
	t := own.table("auto")
	a := Auto{Models: map[string]string{}, Default: r.modelName(t, "default", has)}
	for _, kind := range Kinds {
		if t.has(kind) {
			a.Models[kind] = r.modelName(t, kind, has)
		}
	}
	for _, name := range r.order(t) {
		if !t.read[name] {
			t.skip(name)
			t.refuse(name, "there is no such kind of task; it is kept", "there are: "+strings.Join(Kinds, ", ")+", and default")
		}
	}
	return a
}

// modelName reads the name of a model. One of a provider that is not there is named, and stays; whether there is a
// model file of a name is not known here.
func (r *reader) modelName(t *table, key string, has func(provider string) bool) string {
	name := t.text(key)
	provider, id, isProvider := strings.Cut(name, "/")
	switch {
	case name == "" || slices.Contains(reserved, name) && name != "auto":
	case strings.HasPrefix(name, "gguf:") && printable(name):
	case name == "auto" || CheckName(provider) != nil || isProvider && CheckModel(id) != nil:
		t.refuse(key, "it is no name of a model",
			"write PROVIDER/MODEL, such as \"openai/gpt-5.5\", the name of a model file, or \"spark\"")
		return ""
	case isProvider && !has(provider):
		t.refuse(key, fmt.Sprintf("there is no provider %q", provider), "correct this line, or add the provider")
	}
	return name
}

// limits reads the table [limits]. A mistake is one of the file: a limit that is not kept would be worse.
func limits(top *table) (dollars float64) {
	t := top.table("limits")
	const key = "daily_budget_usd"
	switch v := t.of[key].(type) {
	case nil:
	case int64:
		dollars = float64(v)
	case float64:
		dollars = v
	default:
		dollars = -1
	}
	t.skip(key)
	if t.has(key) && !(dollars > 0 && dollars < math.Inf(1)) {
		t.refuse(key, "it must be dollars, such as 5.0", "correct this line, or remove it: then there is no limit")
		dollars = 0
	}
	t.rest()
	return dollars
}
