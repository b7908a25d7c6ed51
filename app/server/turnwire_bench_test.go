package server

import (
	"encoding/json"
	"testing"

	"waferpair/app"
	"waferpair/engine"
)

// BenchmarkTurnOnTheWire measures the bytes that a page gets for a turn of 20,000 tokens at
// 5,000 tokens a second, as an answer in words and as 200 edits.
func BenchmarkTurnOnTheWire(b *testing.B) {
	for _, turn := range []string{"answer", "edits"} {
		b.Run(turn, func(b *testing.B) {
			bytes, largest := 0, 0
			for b.Loop() {
				bytes, largest = 0, 0
				l := app.NewTurnLog(func() {})
				var page app.LogPosition
				for token := range 20_000 {
					if turn == "answer" {
						l.Take(engine.Prose{Text: "word"})
					} else {
						takeToken(l, token/100, token%100)
					}
					if token%80 == 79 { // a frame
						var n TurnDelta
						n, page = turnDelta(l, page)
						j, err := json.Marshal(n)
						if err != nil {
							b.Fatal(err)
						}
						bytes += len(j)
						largest = max(largest, len(j))
					}
				}
			}
			b.ReportMetric(float64(bytes), "wire-B/turn")
			b.ReportMetric(float64(largest), "largest-frame-B")
		})
	}
}

// takeToken takes one of a hundred tokens of an edit.
func takeToken(l *app.TurnLog, hunk, token int) {
	const path = "internal/server/handler.go"
	switch {
	case token == 0:
		l.Take(engine.HunkOpened{Hunk: hunk, Path: path, Line: hunk * 10})
	case token < 90:
		l.Take(engine.HunkChanged{Hunk: hunk, Path: path, Line: hunk * 10, Inserted: "word"})
	case token == 90:
		l.Take(engine.HunkClosed{Hunk: hunk, Path: path, Added: 8, Removed: 2})
		l.Take(engine.EditAcked{ID: int64(hunk), Path: path})
	default:
		l.Take(engine.Prose{Text: "word"})
	}
}
