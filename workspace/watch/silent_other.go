//go:build !linux

package watch

// silentFileSystem is not known elsewhere; the periodic Reconcile covers it.
func silentFileSystem(string) string { return "" }
