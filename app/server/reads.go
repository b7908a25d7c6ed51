package server

import "context"

// reads are everything that /api answers, by name.
var reads map[string]read

func init() {
	reads = map[string]read{
		"build":  anytime(readBuild),
		"models": reading(readModels),
	}
}

type buildAnswer struct {
	Build string `json:"build"`
}

func readBuild(_ context.Context, h *host, _ none) (any, error) { return buildAnswer{h.opt.Build}, nil }
