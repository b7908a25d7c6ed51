package ops

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// typer is the hook of a language whose declarations say types.
type typer interface {
	// TypeSpots are the places that say the type of the symbol or, for a function, of what it
	// gives back; first its own, then those that have to follow. It declines where nothing says
	// it, where the type means nothing there, and, in a language whose Settle does not check
	// types, where a use would no longer fit.
	TypeSpots(ds []*kit.Decl, typ string) ([]TypeSpot, error)
}

// TypeSpot is one place that says a type, or could.
type TypeSpot struct {
	File     *kit.File
	From, To int
	Text     string // what stands there afterwards
	Was      string // the type that was written there, "" for none
	Result   bool   // it says what a function gives back
	Follows  string // the function or variable whose type this is, if it is not the subject's
}

// changeType changes what a declaration says about a type.
func changeType(j *kit.Job) error {
	typ := j.Arg("type")
	if typ == "" {
		return j.Declined("the argument type is missing: which type?")
	}
	ds, err := j.Subject("symbol")
	if err != nil {
		return err
	}
	spots, err := j.Syntax.(typer).TypeSpots(ds, typ)
	if err != nil {
		return err
	}
	changed := 0
	for _, s := range spots {
		if string(s.File.Src[s.From:s.To]) == s.Text || sameType(s.Was, typ) {
			continue
		}
		changed++
		j.Edits.Replace(s.File, s.From, s.To, s.Text)
		if s.Follows != "" {
			j.Note("%s has the type with it (%s).", s.Follows, s.File.Place(s.From))
		}
	}
	if changed == 0 {
		return j.Already("the type of %s is %s", ds[0].Title, typ)
	}
	j.Promise = kit.Promise{Users: ds, Types: true}
	sayType(j, ds[0].Title, spots[0], typ)
	return nil
}

// sameType compares types as they are written, spaces aside.
func sameType(a, b string) bool {
	return a != "" && strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}

func sayType(j *kit.Job, title string, s TypeSpot, typ string) {
	switch {
	case s.Result && s.Was != "":
		j.Say("%s returns %s now; it was %s.", title, typ, s.Was)
	case s.Result:
		j.Say("%s says now that it returns %s.", title, typ)
	case s.Was != "":
		j.Say("Changed the type of %s from %s to %s.", title, s.Was, typ)
	default:
		j.Say("%s says now that its type is %s.", title, typ)
	}
}
