//go:build (desktop || dev) && !e2e

package window

import "C"

import "context"

// automation allows no WebDriver.
func automation() C.int { return 0 }

func probes(*context.Context) []any { return nil }
