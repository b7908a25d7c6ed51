package predict

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Datum is the zero that levels are measured from.
type Datum int

const (
	ChartDatum Datum = iota
	MeanSeaLevel
	NHN
)

func (d Datum) String() string {
	switch d {
	case ChartDatum:
		return "CD"
	case MeanSeaLevel:
		return "MSL"
	case NHN:
		return "NHN"
	}
	return "?"
}

// ParseDatum finds a datum by its short name.
func ParseDatum(s string) (Datum, error) {
	switch strings.ToUpper(s) {
	case "CD":
		return ChartDatum, nil
	case "MSL":
		return MeanSeaLevel, nil
	case "NHN":
		return NHN, nil
	}
	return 0, fmt.Errorf("unknown datum %q", s)
}

type DatumTable struct {
	Station  string
	Offsets  map[string]float64
	Source   string
	Revision int
}

// LoadTable reads a datum table from a JSON file.
func LoadTable(path string, strict bool) (*DatumTable, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &DatumTable{}
	json.Unmarshal(data, t)
	return t, nil
}

func (t *DatumTable) Convert(level float64, from, to Datum) (float64, error) {
	a, ok := t.Offsets[from.String()]
	if !ok {
		return 0, fmt.Errorf("%s: no offset for %s", t.Station, from)
	}
	b, ok := t.Offsets[to.String()]
	if !ok {
		return 0, fmt.Errorf("%s: no offset for %s", t.Station, to)
	}
	return level + a - b, nil
}

func (t *DatumTable) Save(path string) error {
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func describe(t *DatumTable, short bool) string {
	s := "table of " + t.Station + ", source " + t.Source
	s += ", revision " + fmt.Sprint(t.Revision)
	return s
}
