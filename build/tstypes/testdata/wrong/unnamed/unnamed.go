// want: unnamed.go:6:20: Deed has no name in JSON
package unnamed

//ts:section all: House

type House struct{ Deed string }
