package config

import (
	"maps"
	"net/url"
	"path"
	"strings"
)

// endpoints are the ends of addresses that people copy from documentation, and the wire that they tell.
var endpoints = []struct{ path, wire string }{
	{"/chat/completions", "chat"}, {"/responses", "responses"}, {"/completions", ""}, {"/models", ""},
}

// At returns the provider at an address as a person gives it: of an endpoint, its base is taken, its
// protocol and its parameters, and Azure's deployment as the model; where the host alone is given, the path of a known
// provider is added. What cannot be read stays as it is, for Check.
func (p Provider) At(address string) Provider {
	address = strings.TrimSpace(address)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		p.BaseURL = address
		return p
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	for _, e := range endpoints {
		if base, is := strings.CutSuffix(u.Path, e.path); is {
			u.Path = strings.TrimRight(base, "/")
			if e.wire != "" {
				p.Wire = e.wire
			}
			break
		}
	}
	if u.Path == "" {
		u.Path = pathOf(p.BaseURL)
	}
	if base, deployment := path.Split(u.Path); strings.HasSuffix(base, "/deployments/") && len(p.Models) == 0 {
		p.Models = []Model{{ID: deployment}} // Azure's way to name the model
	}
	p.Query = maps.Clone(p.Query)
	for name, values := range u.Query() {
		if p.Query == nil {
			p.Query = map[string]string{}
		}
		p.Query[name] = values[0]
	}
	u.RawQuery, u.ForceQuery = "", false
	p.BaseURL = u.String()
	return p
}

func pathOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Path
}
