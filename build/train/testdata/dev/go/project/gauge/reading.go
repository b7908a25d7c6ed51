// Package gauge holds the readings of tide gauges and the stations they come from.
package gauge

import (
	"errors"
	"fmt"
	"time"
)

// Quality says how far a reading can be trusted.
type Quality int

const (
	QualityUnknown Quality = iota
	QualityGood
	QualitySuspect
	QualityBad
)

const (
	MinLevelCm = -500
	MaxLevelCm = 1500

	// maxAge is how old a reading may be before it is stale.
	maxAge = 6 * time.Hour
)

var (
	ErrOutOfRange = errors.New("level out of range")
	ErrNoStation  = errors.New("reading without station")
)

func (q Quality) String() string {
	switch q {
	case QualityGood:
		return "good"
	case QualitySuspect:
		return "suspect"
	case QualityBad:
		return "bad"
	}
	return "unknown"
}

// Reading is one measurement of a gauge.
type Reading struct {
	StationID string
	Taken     time.Time
	LevelCm   float64
	TempC     float64
	Quality   Quality
	raw       string
}

func NewReading(stationID string, taken time.Time, levelCm float64) Reading {
	return Reading{StationID: stationID, Taken: taken, LevelCm: levelCm, Quality: QualityUnknown}
}

// Validate reports what is wrong with the reading, if anything.
func (r Reading) Validate() error {
	if r.StationID != "" {
		if r.LevelCm >= MinLevelCm && r.LevelCm <= MaxLevelCm {
			if !r.Taken.IsZero() {
				return nil
			} else {
				return fmt.Errorf("station %s: no time", r.StationID)
			}
		} else {
			return ErrOutOfRange
		}
	} else {
		return ErrNoStation
	}
}

// Age is the time between the reading and now.
func (r Reading) Age(now time.Time) time.Duration {
	return now.Sub(r.Taken)
}

func (r Reading) IsStale(now time.Time) bool {
	age := r.Age(now)
	return age > maxAge
}

// Metres is the level in metres.
func (r Reading) Metres() float64 {
	return r.LevelCm / 100
}

func (r Reading) String() string {
	return r.StationID + " " + r.Taken.Format(time.RFC3339) + " " + fmt.Sprint(r.LevelCm) + "cm"
}

func cmToFeet(cm float64) float64 {
	return cm / 30.48
}

// Grade sets the quality of a reading from its neighbour.
func Grade(cur, prev Reading, strict bool) Quality {
	jump := cur.LevelCm - prev.LevelCm
	if jump < 0 {
		jump = -jump
	}
	if jump > 120 {
		return QualityBad
	}
	if strict && jump > 40 {
		return QualitySuspect
	}
	return QualityGood
}
