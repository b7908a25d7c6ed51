// Package predict computes tides from their harmonic constituents.
package predict

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// StepMinutes is the distance between two points of a curve.
const StepMinutes = 10

const m2Speed = 28.984104

var ErrNoConstituents = errors.New("no constituents")

// Constituent is one wave of the tide.
type Constituent struct {
	Name      string
	Speed     float64 // degrees per hour
	Amplitude float64 // cm
	Phase     float64 // degrees
}

type Model struct {
	Station      string
	MeanLevel    float64
	Epoch        time.Time
	Constituents []Constituent
	cache        map[int64]float64
}

// NewModel makes a model without constituents.
func NewModel(station string, mean float64, epoch time.Time) *Model {
	return &Model{Station: station, MeanLevel: mean, Epoch: epoch, cache: map[int64]float64{}}
}

func (m *Model) AddConstituent(name string, speed, amplitude, phase float64) {
	m.Constituents = append(m.Constituents, Constituent{name, speed, amplitude, phase})
}

// At predicts the level at a time.
func (m *Model) At(t time.Time) float64 {
	if v, ok := m.cache[t.Unix()]; ok {
		return v
	}
	hours := t.Sub(m.Epoch).Hours()
	level := m.MeanLevel
	for _, c := range m.Constituents {
		level += c.Amplitude * math.Cos((c.Speed*hours-c.Phase)*math.Pi/180)
	}
	m.cache[t.Unix()] = level
	return level
}

// Point is one point of a curve.
type Point struct {
	Time  time.Time
	Level float64
}

func (m *Model) Curve(from, to time.Time) ([]Point, error) {
	if len(m.Constituents) == 0 {
		return nil, ErrNoConstituents
	}
	if to.Before(from) {
		return nil, fmt.Errorf("curve of %s: end before start", m.Station)
	}
	var pts []Point
	for t := from; !t.After(to); t = t.Add(StepMinutes * time.Minute) {
		pts = append(pts, Point{t, m.At(t)})
	}
	return pts, nil
}

// Extremes finds the high and low waters of a curve.
func Extremes(pts []Point, minRange float64) (highs, lows []Point) {
	for i := 1; i < len(pts)-1; i++ {
		if pts[i].Level > pts[i-1].Level {
			if pts[i].Level >= pts[i+1].Level {
				if math.Abs(pts[i].Level) > minRange {
					highs = append(highs, pts[i])
				}
			}
		} else if pts[i].Level < pts[i+1].Level {
			lows = append(lows, pts[i])
		}
	}
	return highs, lows
}

func (m *Model) Residual(level float64, t time.Time) float64 {
	predicted := m.At(t)
	return level - predicted
}

func normalizePhase(deg float64) float64 {
	deg = math.Mod(deg, 360)
	if deg < 0 {
		deg += 360
	}
	return deg
}

// Shift moves the phases of all constituents.
func (m *Model) Shift(deg float64) {
	for i := range m.Constituents {
		m.Constituents[i].Phase = normalizePhase(m.Constituents[i].Phase + deg)
	}
	m.cache = map[int64]float64{}
}

func semidiurnal(c Constituent) bool {
	return math.Abs(c.Speed-m2Speed) < 2
}
