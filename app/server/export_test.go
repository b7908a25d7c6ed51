package server

import (
	"reflect"
	"slices"
)

// CommandFields are the fields that each command takes.
func CommandFields() map[string][]string {
	out := map[string][]string{}
	for name, c := range commands {
		out[name] = fieldsOf(c.in)
	}
	return out
}

// ReadFields are the fields that each read takes.
func ReadFields() map[string][]string {
	out := map[string][]string{}
	for name, r := range reads {
		out[name] = fieldsOf(r.in)
	}
	return out
}

func fieldsOf(t reflect.Type) []string {
	var out []string
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			out = append(out, f.Tag.Get("json"))
		}
	}
	slices.Sort(out)
	return out
}
