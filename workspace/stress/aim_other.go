//go:build unix && !linux

package stress

// aim cannot detect the moment here; random delays must do.
func aim(string) (wait func(), err error) { return func() {}, nil }
