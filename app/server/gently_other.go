//go:build !linux

package server

func gently(do func()) { do() }
