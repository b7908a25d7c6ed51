package app_test

import (
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// BenchmarkContext10kFiles assembles prompts in a project of 10,000 files.
func BenchmarkContext10kFiles(b *testing.B) {
	m := &drivertest.Speaker{Language: true}
	p := manyFiles(b, 10_000, "file%d.go", strings.ReplaceAll(goFile, "package p", "package p // file $"))
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
	p, err := app.Open(b.Context(), p.Root(), app.Options{DataHome: b.TempDir(),
		Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	if err := p.Baseline(); err != nil {
		b.Fatal(err)
	}
	r := app.EditRequest{Text: "make Handle retry requests that time out; see file77.go",
		Target: model.Target{File: "pkg050/file5000.go"}, Pins: []string{"pkg001/file100.go", "pkg002/file200.go"}}
	tokens := 0
	for b.Loop() {
		c, err := p.Context(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		tokens = c.Tokens
	}
	b.ReportMetric(float64(tokens), "tokens")
}
