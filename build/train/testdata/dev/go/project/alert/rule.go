// Package alert decides when somebody has to be told about the water.
package alert

import (
	"fmt"
	"log/slog"
	"tidewatch/gauge"
	"tidewatch/predict"
	"time"
)

// Severity is how urgent an alert is.
type Severity int

const (
	Info Severity = iota
	Warning
	Critical
)

const (
	SurgeThreshold = 150.0
	cooldown       = 45 * time.Minute
)

func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Critical:
		return "critical"
	default:
		return "severity?"
	}
}

// Alert is a message about a station.
type Alert struct {
	StationID string
	Severity  Severity
	Message   string
	Raised    time.Time
	ack       bool
}

type Rule interface {
	Name() string
	Check(r gauge.Reading) (*Alert, error)
}

// LevelRule fires when the water is above a level.
type LevelRule struct {
	Limit    float64
	Severity Severity
}

func (l *LevelRule) Name() string { return "level" }

func (l *LevelRule) Check(r gauge.Reading) (*Alert, error) {
	if r.LevelCm <= l.Limit {
		return nil, nil
	}
	msg := fmt.Sprintf("%s: level %.0f above %.0f", r.StationID, r.LevelCm, l.Limit)
	return &Alert{StationID: r.StationID, Severity: l.Severity, Message: msg, Raised: time.Now()}, nil
}

// SurgeRule fires when the water is far above the prediction.
type SurgeRule struct {
	model *predict.Model
	Slack float64
}

func (s *SurgeRule) Name() string { return "surge" }

// SilenceRule is meant to fire when a gauge stops sending.
type SilenceRule struct {
	After time.Duration
	seen  map[string]time.Time
}

// Engine runs the rules over the readings.
type Engine struct {
	rules    []Rule
	notifier Notifier
	lastSent map[string]time.Time
}

// NewEngine makes an engine that tells the notifier.
func NewEngine(n Notifier, rules ...Rule) *Engine {
	return &Engine{rules: rules, notifier: n, lastSent: map[string]time.Time{}}
}

func (e *Engine) Process(r gauge.Reading, dryRun bool) int {
	sent := 0
	for _, rule := range e.rules {
		a, err := rule.Check(r)
		if err == nil {
			if a != nil {
				if time.Since(e.lastSent[a.StationID]) > cooldown {
					if !dryRun {
						e.notifier.Notify(a, 3)
						sent++
					}
					e.lastSent[a.StationID] = time.Now()
				}
			}
		} else {
			slog.Error("rule failed", "rule", rule.Name(), "err", err)
		}
	}
	return sent
}

func (e *Engine) Reset() {
	e.lastSent = map[string]time.Time{}
}

func classify(cm float64) Severity {
	if cm > SurgeThreshold*2 {
		return Critical
	}
	if cm > SurgeThreshold {
		return Warning
	}
	return Info
}

func color(s Severity) string {
	switch s {
	case Info:
		return "#3a87ad"
	case Warning:
		return "#f89406"
	case Critical:
		return "#b94a48"
	}
	return "#999999"
}
