package app

import (
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/script"
	"waferpair/engine/spark"
)

// Models is the registry: the driver of every model of this build, and what opens
// others by a prefix. A new one is a line here. The program makes it once, and hands
// it to whoever opens projects.
func Models() *engine.Registry {
	return engine.NewRegistry([]engine.Driver{agent.New(spark.New())}, agent.Opens(script.Opener, agent.ApplyPatch))
}
