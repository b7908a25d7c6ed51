package app

import (
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/local"
	"waferpair/engine/script"
	"waferpair/engine/spark"
)

// Models returns the registry: the driver of every built-in model, and the openers of
// others by prefix. A new model is a line here. The program makes the registry once, and
// hands it to everything that opens projects. Model files are loaded on the shelf.
func Models(shelf *local.Shelf) *engine.Registry {
	return engine.NewRegistry([]engine.Driver{agent.New(spark.New())}, agent.Opens(script.Opener, agent.ApplyPatch),
		agent.Opens(shelf.Opener()))
}
