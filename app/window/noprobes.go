//go:build desktop && !e2e

package window

func probes() []any { return nil }
