//go:build !race

package app

// The order of locks is checked with -race only.

func takes(int) {}
func gives(int) {}
