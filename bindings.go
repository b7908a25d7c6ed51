//go:build bindings

package main

import "os"

// `wails build` first runs a program that is built with this tag, to have the
// JavaScript written that calls Go. The page calls what it needs by its name, so
// nothing is written, and above all no project is opened.
func init() { os.Exit(0) }
