package config

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"waferpair/engine/model"
)

// maxFile bounds the size of config.toml.
const maxFile = 1 << 20

// Parse returns what the content of the file at path says.
func Parse(path string, body []byte) Config {
	c := Config{Path: path}
	all, err := decode(body)
	if err != nil {
		c.Problem = problemOf(path, body, err)
		return c
	}
	stmts, err := statements(body)
	if err != nil { // decode accepted the same bytes
		c.Problem = problemOf(path, body, err)
		return c
	}
	r := &reader{file: path, at: places(body, stmts)}
	var bad []Problem
	top := r.table(nil, all, &bad)
	c.Model, c.ModelProvider = top.text("model"), top.text("model_provider")
	providers := top.table("model_providers")
	for _, name := range r.order(providers) {
		c.Providers = append(c.Providers, r.provider(name, providers))
	}
	c.Auto = r.auto(top, func(name string) bool { _, is := c.Provider(name); return is })
	c.DailyBudget = limits(top)
	c.ModelFiles = r.modelFiles(top)
	top.rest()
	if len(bad) > 0 {
		c.Problem = &bad[0]
	}
	c.Unknown = r.unknown
	return c
}

// decode decodes a file, as far as it is one.
func decode(body []byte) (all map[string]any, err error) {
	if len(body) > maxFile {
		return nil, fmt.Errorf("the file has %d bytes, more than the %d that are read", len(body), maxFile)
	}
	err = toml.Unmarshal(bytes.TrimPrefix(body, []byte(byteOrderMark)), &all)
	return all, err
}

// problemOf says where a file is no TOML.
func problemOf(path string, body []byte, err error) *Problem {
	p := &Problem{File: path, What: err.Error(), Next: "move it away, or make it smaller"}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		p.Line, p.Col = at.Position()
		p.What = "this is not TOML: " + err.Error()[len("toml: "):]
		p.Next = "correct this line; until then only the built-in models are there"
		if strings.HasSuffix(p.What, "already exists") {
			p.Next = "two have one name: rename or remove one of them; until then only the built-in models are there"
		}
	}
	return p
}

// provider reads the table of a provider.
func (r *reader) provider(name string, in *table) Provider {
	p := Provider{Name: name}
	own := *in
	own.problems = &p.Problems // a mistake here is not one of the file
	t := own.table(name)
	if why := CheckName(name); why != nil {
		t.refuse("", why.Error(), "give the table another name")
	}
	p.Title, p.BaseURL = t.text("name"), t.text("base_url")
	p.EnvKey, p.Keyring = t.text("env_key"), t.flag("keyring")
	p.Wire, p.CAFile = t.text("wire_api"), t.text("ca_file")
	p.Query, p.Headers, p.EnvHeaders = t.texts("query_params"), t.texts("http_headers"), t.texts("env_http_headers")
	p.RequestRetries = t.number("request_max_retries", 0, 100)
	p.StreamRetries = t.number("stream_max_retries", 0, 100)
	if ms := t.number("stream_idle_timeout_ms", 1, math.MaxInt32); ms != nil {
		p.IdleTimeout = time.Duration(*ms) * time.Millisecond
	}
	if t.has("supports_websockets") {
		on := t.flag("supports_websockets")
		p.WebSockets = &on
	}
	p.Models = r.models(t)
	for _, w := range check(p) {
		t.refuse(w.key, w.what, w.next)
	}
	if t.has("experimental_bearer_token") {
		t.skip("experimental_bearer_token")
		t.refuse("experimental_bearer_token", "a key does not belong in a file",
			"remove the line (and revoke the key if others can read the file), then give the key with "+
				"'waferpair models add "+name+" --key-stdin', or set env_key to the name of a variable that has it")
	}
	t.rest()
	return p
}

// models reads the models of a provider: an array of names, or a table for each.
func (r *reader) models(t *table) (out []Model) {
	if _, is := t.of["models"].([]any); is {
		for _, id := range t.words("models") {
			out = append(out, Model{ID: id})
		}
		return out
	}
	all := t.table("models")
	for _, id := range r.order(all) {
		mt := all.table(id)
		m := Model{ID: id}
		if n := mt.number("context", 1, math.MaxInt32); n != nil {
			m.Context = *n
		}
		if mt.has("price") {
			pt := mt.table("price")
			m.Price = &model.Price{Input: pt.amount("input"), Output: pt.amount("output")}
			m.Price.Cached = m.Price.Input
			if pt.has("cached") {
				m.Price.Cached = pt.amount("cached")
			}
			pt.rest()
		}
		mt.rest()
		out = append(out, m)
	}
	return out
}

// order returns the names in a table in the file's order.
func (r *reader) order(t *table) []string {
	names := make([]string, 0, len(t.of))
	for name := range t.of {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		pa, pb := r.place(t.path, a), r.place(t.path, b)
		if pa.Line != pb.Line {
			return pa.Line - pb.Line
		}
		return pa.Col - pb.Col
	})
	return names
}
