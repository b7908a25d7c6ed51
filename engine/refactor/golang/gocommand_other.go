//go:build !linux

package golang

func lower(int) {}
