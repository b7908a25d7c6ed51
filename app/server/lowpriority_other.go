//go:build !linux

package server

func runLowPriority(do func()) { do() }
