package ops

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// enumerator knows the enums of a language.
type enumerator interface {
	// Enum is the enum that the argument names, and where a further case of that name goes. value
	// is "" where the request gives none; it declines when a value cannot be made up from those
	// that there are, or when other code would not compile with one case more.
	Enum(arg, name, value string) (*Enum, error)
}

// Enum is one enum.
type Enum struct {
	Title  string
	Name   string // of the new case, as the others are written
	File   *kit.File
	Comma  int // where a comma goes behind the case before; 0 for nowhere
	At     int
	Text   string
	Select []Selection
}

// Selection is a switch that has a case for each of the enum's, or match.
type Selection struct {
	File *kit.File
	At   int    // where a further one goes; before what is taken otherwise
	Text string // that does what is done otherwise; "" where that is not plain
	On   int    // the switch
	// Unsure says that it may as well be one over something else, which stays as it is.
	Unsure bool
}

// addCase adds a case to an enum, and to the switches that had one for each.
func addCase(j *kit.Job) error {
	name := j.Arg("name")
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	e, err := j.Syntax.(enumerator).Enum("type", name, j.Arg("value"))
	if err != nil {
		return err
	}
	if e.Comma > 0 {
		j.Edits.Insert(e.File, e.Comma, ",")
	}
	j.Edits.Insert(e.File, e.At, e.Text)
	switches := 0
	for _, s := range e.Select {
		if s.Unsure {
			j.Note("The switch at %s may be one over %s, and stays as it is.", s.File.Place(s.On), e.Title)
			continue
		}
		if s.Text == "" {
			j.Note("The switch at %s has no case for %s yet.", s.File.Place(s.On), e.Name)
			continue
		}
		j.Edits.Insert(s.File, s.At, s.Text)
		switches++
	}
	j.Promise.Names = []string{e.Name}
	if switches == 0 {
		j.Say("Added %s to %s.", e.Name, e.Title)
		return nil
	}
	j.Say("Added %s to %s, and a case to %s.", e.Name, e.Title, countOf(switches, "switch"))
	return nil
}

// Prefixed is a new name with the prefix that all the others have, if it is the enum's.
func Prefixed(name, prefix string, others []string) string {
	for _, o := range others {
		if !strings.HasPrefix(strings.ToLower(o), strings.ToLower(prefix)) || len(o) == len(prefix) {
			return name
		}
	}
	if len(others) == 0 || strings.HasPrefix(strings.ToLower(name), strings.ToLower(prefix)) {
		return name
	}
	return others[0][:len(prefix)] + strings.ToUpper(name[:1]) + name[1:]
}

// MadeOf makes the value of a new case of its name, as those of the others are made of theirs.
func MadeOf(names, values []string, prefix, name string) (string, bool) {
	bare := func(n string) string {
		if len(n) > len(prefix) && strings.EqualFold(n[:len(prefix)], prefix) {
			n = n[len(prefix):]
		}
		return n
	}
	for _, form := range []func(string) string{bare, func(n string) string { return n }, func(n string) string {
		return strings.ToLower(bare(n))
	}, strings.ToLower, func(n string) string { return parted(bare(n), "_") }, func(n string) string {
		return parted(bare(n), "-")
	}, func(n string) string { return strings.ReplaceAll(strings.ToLower(n), "_", "-") }} {
		all := len(names) > 0
		for i := range names {
			all = all && form(names[i]) == values[i]
		}
		if all {
			return form(name), true
		}
	}
	return "", false
}

// parted is a name in lower case with a mark between its words.
func parted(name, mark string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteString(mark)
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}
