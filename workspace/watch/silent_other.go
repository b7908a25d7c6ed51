//go:build !linux

package watch

// silentFileSystem is unknown on other systems; the periodic Reconcile covers them.
func silentFileSystem(string) string { return "" }
