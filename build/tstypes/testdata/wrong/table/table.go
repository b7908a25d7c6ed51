// want: front is not made by a generic function of In and Out
package table

//ts:section all: doors

var doors = map[string]func(){"front": func() {}}

var _ = doors
