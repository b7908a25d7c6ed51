package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrong is a mistake in a provider's settings.
type wrong struct{ key, what, next string }

// reserved are the names that requests give to other models.
var reserved = []string{"spark", "script", "gguf", "agent", "auto"}

// CheckName returns why a provider cannot have a name; nil when it can. Names of models are cut at
// the first slash, those with a colon are the built-in openers'.
func CheckName(name string) error {
	switch {
	case name == "" || len(name) > 64 || !utf8.ValidString(name):
		return fmt.Errorf("the name of a provider has 1 to 64 letters, digits, '-', '_' or '.'")
	case slices.Contains(reserved, strings.ToLower(name)):
		return fmt.Errorf("%q is the name of a built-in model", name)
	}
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_.", c) {
			return fmt.Errorf("the name %q of a provider has %q in it; letters, digits, '-', '_' and '.' are possible",
				name, c)
		}
	}
	if name[0] == '-' || name[0] == '.' {
		return fmt.Errorf("the name %q of a provider begins with %q", name, name[0])
	}
	return nil
}

// CheckModel returns why a model cannot have a name.
func CheckModel(id string) error {
	if id == "" || len(id) > 256 || !printable(id) || strings.TrimSpace(id) != id {
		return fmt.Errorf("%q is no name of a model: it has 1 to 256 characters, none of them a control character", id)
	}
	return nil
}

// CheckURL returns why a base URL cannot be used. It does not repeat one that has a key in it.
func CheckURL(base string) error {
	u, err := url.Parse(base)
	switch {
	case base == "":
		return fmt.Errorf("it is missing")
	case !printable(base):
		return fmt.Errorf("it is no URL")
	case strings.ContainsAny(base, "@"):
		return fmt.Errorf("it has a user or a key before the @, which does not belong in a file")
	case strings.ContainsAny(base, "?#"):
		return fmt.Errorf("it has parameters after the path; they belong in query_params")
	case !strings.Contains(base, "://"):
		return fmt.Errorf("%q is no address such as https://example.com/v1: it does not begin with http:// or https://", base)
	case err != nil:
		return fmt.Errorf("it is no URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fmt.Errorf("%q is no address such as https://example.com/v1", base)
	}
	for _, e := range endpoints {
		if strings.HasSuffix(strings.TrimRight(u.Path, "/"), e.path) {
			return fmt.Errorf("%q is the address of one endpoint; it must end before %s", base, e.path)
		}
	}
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Check returns the first thing that is wrong with a provider that is to be added.
func Check(p Provider) error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	if w := check(p); len(w) > 0 {
		return fmt.Errorf("%s of %s: %s; %s", w[0].key, p.Name, w[0].what, w[0].next)
	}
	return nil
}

// check returns what is wrong with a provider's settings.
func check(p Provider) (out []wrong) {
	no := func(key, what, next string) { out = append(out, wrong{key, what, next}) }
	if err := CheckURL(p.BaseURL); err != nil {
		no("base_url", err.Error(), "set base_url to the address of the API, mostly ending in /v1")
	}
	if p.EnvKey != "" && !variable.MatchString(p.EnvKey) {
		no("env_key", "it must be the name of an environment variable, not the key itself",
			"write the name, such as OPENAI_API_KEY; if this was a key, revoke it")
	}
	if p.Wire != "" && p.Wire != "responses" && p.Wire != "chat" {
		no("wire_api", fmt.Sprintf("%q is neither \"responses\" nor \"chat\"", p.Wire),
			"write one of them, or remove the line: then it is tried out")
	}
	out = append(out, checkHeaders(p)...)
	for _, name := range sortedKeys(p.Query) {
		if secretive(name) {
			no("query_params", fmt.Sprintf("%q would put a key into a file and into URLs", name),
				"send it as a header: env_http_headers, or env_key")
		}
	}
	if !printable(p.Title) {
		no("name", "it has control characters", "remove them")
	}
	for _, m := range p.Models {
		if err := CheckModel(m.ID); err != nil {
			no("models", err.Error(), "correct the name")
		}
	}
	return out
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func checkHeaders(p Provider) (out []wrong) {
	for _, name := range sortedKeys(p.Headers) {
		switch {
		case !headerName.MatchString(name) || !printable(p.Headers[name]):
			out = append(out, wrong{"http_headers", fmt.Sprintf("%q is no header, or its value has control characters", name),
				"correct it"})
		case secretive(name):
			out = append(out, wrong{"http_headers", fmt.Sprintf("%q would put a key into a file", name),
				"use env_http_headers = { \"" + name + "\" = \"NAME_OF_A_VARIABLE\" }, or env_key"})
		}
	}
	for _, name := range sortedKeys(p.EnvHeaders) {
		if !headerName.MatchString(name) || !variable.MatchString(p.EnvHeaders[name]) {
			out = append(out, wrong{"env_http_headers",
				fmt.Sprintf("the value of %q must be the name of an environment variable", name),
				"write the name; if this was a key, revoke it"})
		}
	}
	return out
}

// secretive reports whether a header or a parameter of that name mostly has a secret.
func secretive(name string) bool {
	n := strings.ReplaceAll(strings.ToLower(name), "_", "-")
	return n == "authorization" || n == "proxy-authorization" || n == "cookie" || n == "key" || n == "auth" ||
		strings.HasSuffix(n, "api-key") || strings.HasSuffix(n, "apikey") || strings.HasSuffix(n, "-key") ||
		strings.HasSuffix(n, "token") || strings.Contains(n, "secret") || strings.Contains(n, "password")
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

func sortedKeys(of map[string]string) []string {
	out := make([]string, 0, len(of))
	for k := range of {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
