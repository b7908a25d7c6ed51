package app

import (
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/script"
	"waferpair/engine/spark"
)

// Models returns the registry: the driver of every built-in model, and the openers of
// others by prefix. A new model is a line here. The program makes the registry once, and
// hands it to everything that opens projects.
func Models() *engine.Registry {
	return engine.NewRegistry([]engine.Driver{agent.New(spark.New())}, agent.Opens(script.Opener, agent.ApplyPatch))
}
