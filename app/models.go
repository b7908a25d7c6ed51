package app

import (
	"waferpair/engine/model"
	"waferpair/engine/script"
	"waferpair/engine/spark"
)

// Models is the registry: every model of this build, and what opens others
// by a prefix. A new one is a line here. The program makes it once, and hands it to
// whoever opens projects.
func Models() *model.Registry {
	return model.NewRegistry([]model.Model{spark.New()}, script.Opener)
}
