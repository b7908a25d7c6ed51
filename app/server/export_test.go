package server

import (
	"maps"
	"reflect"
	"slices"

	"waferpair/app/parts"
)

// AnswerOf returns the type of the answer to a command or read; nil if there is none.
func AnswerOf(which, name string) reflect.Type {
	if which == "Reads" {
		return reads[name].out
	}
	return commands[name].out
}

// Unions are the types of each interface that crosses the line.
var Unions = map[reflect.Type][]reflect.Type{
	reflect.TypeFor[ServerMessage]():   typesOf[ServerMessage](Hello{}, Reply{}, Frame{}),
	reflect.TypeFor[DocDelta]():        typesOf[DocDelta](DocUpdates{}, DocReset{}, DocMoved{}),
	reflect.TypeFor[parts.PartDelta](): typesOf[parts.PartDelta](parts.NewPart{}, parts.MoreText{}, parts.HunkEnd{}),
	reflect.TypeFor[parts.Part]():      typesOf(parts.Kinds()...),
}

func typesOf[T any](values ...T) (out []reflect.Type) {
	for _, v := range values {
		out = append(out, reflect.TypeOf(v))
	}
	return out
}

// CommandNames returns the names of all commands.
func CommandNames() []string { return slices.Sorted(maps.Keys(commands)) }
