package ops

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// implementer knows what an interface, or an abstract class, asks of a type.
type implementer interface {
	// Implementation is what the type lacks. It declines when that cannot be known, or when the
	// type has a member of the name that is another one.
	Implementation(typ, iface string) (*Implementation, error)
}

// Implementation makes a type implement an interface.
type Implementation struct {
	Title, Interface string
	Had              []string // members of the interface that the type has, with their places
	Lacks            []string // those that it gets
	File             *kit.File
	At               int    // where they go
	Text             string // all of them, as whole lines
	Head             []kit.Patch
	Users            []*kit.Decl
}

// implement gives a type the members that an interface asks for.
func implement(j *kit.Job) error {
	im, err := j.Syntax.(implementer).Implementation("type", "interface")
	if err != nil {
		return err
	}
	if len(im.Lacks)+len(im.Head) == 0 {
		return j.Already("%s implements %s already%s", im.Title, im.Interface, listed(" with ", im.Had))
	}
	if im.Text != "" {
		j.Edits.Insert(im.File, im.At, im.Text)
	}
	for _, p := range im.Head {
		j.Edits.Replace(im.File, p.From, p.To, p.With)
	}
	j.Promise.Names, j.Promise.Users = im.Lacks, im.Users
	j.Say("%s implements %s%s%s.", im.Title, im.Interface, listed(": added ", im.Lacks), listed("; it had ", im.Had))
	return nil
}

func listed(before string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}
