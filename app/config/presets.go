package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Preset is a provider that is known: what to set, and what a person must know.
type Preset struct {
	Provider
	Help string
	Ask  string // what the base URL looks like, if everybody has another one
}

func on() *bool { t := true; return &t }

// presets are the known providers. Sizes of contexts are not here: each provider lists its models,
// mostly with their contexts, and models change faster than this program.
var presets = []Preset{
	{Provider: Provider{Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1",
		EnvKey: "OPENAI_API_KEY", Wire: "responses", WebSockets: on()},
		Help: "OpenAI's API: Responses over a WebSocket"},
	{Provider: Provider{Name: "azure", Title: "Azure OpenAI", EnvKey: "AZURE_OPENAI_API_KEY", Wire: "responses"},
		Help: "models deployed at Azure; a model's name is that of its deployment",
		Ask:  azureURL},
	{Provider: Provider{Name: "ollama", Title: "Ollama", BaseURL: "http://localhost:11434/v1"},
		Help: "models on this computer; set OLLAMA_CONTEXT_LENGTH for Ollama, its default is small"},
	{Provider: Provider{Name: "lmstudio", Title: "LM Studio", BaseURL: "http://localhost:1234/v1"},
		Help: "models on this computer; start its server first"},
	{Provider: Provider{Name: "llama.cpp", Title: "llama.cpp", BaseURL: "http://localhost:8080/v1"},
		Help: "llama-server on this computer"},
	{Provider: Provider{Name: "vllm", Title: "vLLM", BaseURL: "http://localhost:8000/v1"},
		Help: "a vLLM server or cluster; see docs/cluster.md"},
	{Provider: Provider{Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1",
		EnvKey: "OPENROUTER_API_KEY"},
		Help: "many providers behind one key; models are called AUTHOR/MODEL"},
	{Provider: Provider{Name: "cerebras", Title: "Cerebras", BaseURL: "https://api.cerebras.ai/v1",
		EnvKey: "CEREBRAS_API_KEY", Wire: "chat"},
		Help: "open models on wafers, thousands of tokens a second"},
	{Provider: Provider{Name: "groq", Title: "Groq", BaseURL: "https://api.groq.com/openai/v1", EnvKey: "GROQ_API_KEY"},
		Help: "open models, hundreds of tokens a second"},
	{Provider: Provider{Name: "xai", Title: "xAI", BaseURL: "https://api.x.ai/v1", EnvKey: "XAI_API_KEY",
		Wire: "responses"},
		Help: "xAI's models"},
}

// azureURL is what the address of everybody's Azure looks like.
const azureURL = "https://RESOURCE.openai.azure.com/openai/v1"

// At returns the provider of the preset at another address: see Provider.At.
func (p Preset) At(address string) Provider {
	of := p.Provider
	of.BaseURL = cmp.Or(of.BaseURL, p.Ask)
	return of.At(address)
}

// Presets returns the known providers.
func Presets() []Preset { return slices.Clone(presets) }

// FindPreset finds a known provider.
func FindPreset(name string) (Preset, error) {
	var known []string
	for _, p := range presets {
		if strings.EqualFold(p.Name, name) {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return Preset{}, fmt.Errorf("no preset is called %q; there are: %s", name, strings.Join(known, ", "))
}
