package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waferpair/app/keys"
)

// examineProviders reports whether config.toml can be read, whether there is a keyring for keys, and
// whether each provider could be used. It does not use the network.
func (e *env) examineProviders(ctx context.Context) []finding {
	c := e.providers.File.Read()
	config := finding{"config", true, fmt.Sprintf("%s: %s", c.Path, count(len(c.Providers), "provider")), ""}
	switch {
	case c.Problem != nil:
		config = finding{"config", false, c.Problem.Error(), "'waferpair models list' names what else is wrong there"}
	case len(c.Providers) == 0:
		config.Next = "'waferpair models add --help' says how to connect one: OpenAI, Ollama, a cluster, ..."
	case len(c.Unknown) > 0:
		config.Says += fmt.Sprintf(", and %s that nothing here reads", count(len(c.Unknown), "key"))
	}
	out := []finding{config, e.examineKeyring(ctx)}
	shown, _ := e.shownProviders(ctx)
	for _, p := range shown {
		f := finding{"provider", true, clean(p.Name) + " " + clean(p.Help) + keyWords(p), ""}
		name := strings.TrimSuffix(p.Name, "/")
		if len(p.Problems) > 0 {
			f = finding{"provider", false, clean(p.Problems[0]), "'waferpair models show " + name + "' says all that is wrong"}
		} else if p.Key == keys.Missing {
			f.Next = "set the variable, or run 'waferpair models add " + name + " --key-stdin'"
		} else {
			f.Next = "waferpair models test " + name + " connects to it"
		}
		out = append(out, f)
	}
	return out
}

func (e *env) examineKeyring(ctx context.Context) finding {
	ctx, cancel := context.WithTimeout(ctx, keyringWithin)
	defer cancel()
	err := e.providers.Keys.CheckKeyring(ctx)
	if errors.Is(err, keys.ErrLocked) {
		return finding{"keyring", true, "keys of providers cannot be read: " + err.Error(), ""}
	}
	if err != nil {
		return finding{"keyring", true, "keys of providers cannot be kept: " + err.Error(),
			"put them into variables (env_key), or install a keyring, such as gnome-keyring"}
	}
	return finding{"keyring", true, "the desktop's keyring can keep the keys of providers", ""}
}
