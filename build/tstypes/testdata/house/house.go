// Package house has one of everything that build/tstypes writes.
package house

import (
	"encoding/json"

	"waferpair/build/tstypes/testdata/house/near"
)

// The head of the file.
//
//	in a block
//
//ts:section what is sent: House
//ts:section what is asked: doors

// House is at the top.
//
// It has a second paragraph.
type House struct {
	Base
	plan
	Kind   string          `json:"kind" is:"house"`
	Rooms  []Room          `json:"rooms"` // from the cellar up
	Walls  [][]string      `json:"walls"`
	Paint  []Paint         `json:"paint"`
	Roof   *Roof           `json:"roof"`
	Garden *Roof           `json:"garden,omitempty"`
	Lit    bool            `json:"lit,omitempty"`
	Owner  Name            `json:"owner" or:"null"`
	Deed   Deed            `json:"deed"`
	Names  map[string]Name `json:"names"`
	Street near.Street     `json:"street"`
	// Said is what
	// people say.
	Said   any    `json:"said"`
	Hidden string `json:"-"`
	secret string
}

// Base is what every building has.
type Base struct {
	Floors int8 `json:"floors"`
}

type plan struct {
	Scale float64 `json:"scale"`
}

// Room is one of the rooms.
type Room interface{ room() }

type (
	// Has a bed.
	bedroom struct {
		T    string `json:"t" is:"bed's"`
		Beds int    `json:"beds"`
	}
	kitchen struct {
		T string `json:"t" is:"kitchen"`
	} // warm
	// Attic is the highest.
	Attic struct {
		T    string `json:"t" is:"attic"`
		Dust Area   `json:"dust"`
	}
)

func (bedroom) room() {}
func (kitchen) room() {}
func (Attic) room()   {}

// Area counts square metres.
type Area int

// Paint is a colour.
type Paint string

const (
	Red  Paint = "red"
	None Paint = "" // bare
)

// Style has short words.
type Style string

const (
	flat  Style = "flat"
	steep Style = "steep\n"
)

// Roof keeps the rain out.
type Roof struct {
	Style Style `json:"style"`
	Over  *Roof `json:"over,omitempty"`
}

// Name is only a string.
type Name string

// Deed is kept, and not read.
//
//ts:from ./deed
type Deed = json.RawMessage

// Point writes itself.
//
//ts:type readonly [number, number]
type Point struct{ x, y int }

func (p Point) MarshalJSON() ([]byte, error) { return json.Marshal([2]int{p.x, p.y}) }

// Doors are all that can be opened.
var doors = map[string]door{
	"front": opens(front), // rings

	// Creaks.
	"back":   opens(back),
	"cellar": opens(cellar),
}

type door struct{ open func(any) any }

func opens[In, Out any](do func(In) Out) door {
	return door{func(in any) any { return do(in.(In)) }}
}

type (
	none struct{}
	null = *none
	key  struct {
		Teeth int  `json:"teeth"`
		Turn  bool `json:"turn,omitempty"`
	}
	keys struct {
		Ring
		Count int `json:"count"`
	}
	view struct {
		At   Point `json:"at"`
		Full bool  `json:"full"` // nothing is in the way
	}
)

// Ring holds keys.
type Ring struct {
	Loose bool `json:"loose,omitempty"`
}

func front(key) null   { return nil }
func cellar(none) view { return view{} }

func back(keys) []House {
	return []House{{
		Kind:   "house",
		Rooms:  []Room{bedroom{"bed's", 2}, kitchen{T: "kitchen"}, Attic{"attic", 1}},
		Paint:  []Paint{Red, "red"},
		Roof:   &Roof{Style: flat, Over: &Roof{Style: steep}},
		secret: "under the mat",
	}}
}

var _ = doors
