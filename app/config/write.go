package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// tableOf returns the table of a provider as text.
func tableOf(p Provider) string {
	var b strings.Builder
	put := func(name, value string) { fmt.Fprintf(&b, "%s = %s\n", bare(name), value) }
	text := func(name, value string) {
		if value != "" {
			put(name, quote(value))
		}
	}
	number := func(name string, n *int) {
		if n != nil {
			put(name, strconv.Itoa(*n))
		}
	}
	fmt.Fprintf(&b, "[%s.%s]\n", providersKey, bare(p.Name))
	text("name", p.Title)
	text("base_url", p.BaseURL)
	text("env_key", p.EnvKey)
	if p.Keyring {
		put("keyring", "true")
	}
	text("wire_api", p.Wire)
	for _, t := range []struct {
		name string
		of   map[string]string
	}{{"query_params", p.Query}, {"http_headers", p.Headers}, {"env_http_headers", p.EnvHeaders}} {
		if len(t.of) > 0 {
			put(t.name, inlineTable(t.of))
		}
	}
	number("request_max_retries", p.RequestRetries)
	number("stream_max_retries", p.StreamRetries)
	if p.IdleTimeout > 0 {
		put("stream_idle_timeout_ms", strconv.FormatInt(int64(p.IdleTimeout/time.Millisecond), 10))
	}
	if p.WebSockets != nil {
		put("supports_websockets", strconv.FormatBool(*p.WebSockets))
	}
	text("ca_file", p.CAFile)
	writeModels(&b, p)
	return b.String()
}

// writeModels writes a list of names, or, if more is known, a table for each model.
func writeModels(b *strings.Builder, p Provider) {
	known := false
	ids := make([]string, len(p.Models))
	for i, m := range p.Models {
		ids[i] = quote(m.ID)
		known = known || m.Context > 0 || m.Price != nil
	}
	if len(ids) > 0 && !known {
		fmt.Fprintf(b, "models = [%s]\n", strings.Join(ids, ", "))
	}
	if !known {
		return
	}
	for _, m := range p.Models {
		fmt.Fprintf(b, "\n[%s.%s.models.%s]\n", providersKey, bare(p.Name), bare(m.ID))
		if m.Context > 0 {
			fmt.Fprintf(b, "context = %d\n", m.Context)
		}
		if m.Price != nil {
			amount := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
			fmt.Fprintf(b, "price = { input = %s, cached = %s, output = %s }\n",
				amount(m.Price.Input), amount(m.Price.Cached), amount(m.Price.Output))
		}
	}
}

func inlineTable(of map[string]string) string {
	var out []string
	for _, k := range sortedKeys(of) {
		out = append(out, bare(k)+" = "+quote(of[k]))
	}
	return "{ " + strings.Join(out, ", ") + " }"
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// bare returns a key, in quotes where it needs them.
func bare(s string) string {
	if bareKey.MatchString(s) {
		return s
	}
	return quote(s)
}

// quote returns a basic string of TOML.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
