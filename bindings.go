//go:build bindings

package main

import "os"

// `wails build` first runs the program built with this tag, to generate JavaScript that
// calls Go. The page calls Go by name and needs no such code, so the program exits at once,
// before it opens a project.
func init() { os.Exit(0) }
