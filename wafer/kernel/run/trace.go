package run

import (
	"encoding/json"
	"fmt"
	"io"

	"waferpair/wafer/fabric"
	"waferpair/wafer/kernel"
	"waferpair/wafer/tile"
)

// Trace records what a core did when, by kernel.
type Trace struct {
	At      fabric.At
	Spans   []tile.Span
	Kernels []string // their names
}

// traced returns the cores whose work is recorded: a few along the diagonal of the mesh.
func traced(p *kernel.Plan) []fabric.At {
	w, h := p.Grid.Width, p.Grid.Height
	const most = 8
	n := min(most, max(w, h))
	var list []fabric.At
	for i := range n {
		at := fabric.At{}
		if n > 1 {
			at = fabric.At{X: i * (w - 1) / (n - 1), Y: i * (h - 1) / (n - 1)}
		}
		list = append(list, at)
	}
	return list
}

func traces(p *kernel.Plan) []Trace {
	var list []Trace
	for _, at := range traced(p) {
		list = append(list, Trace{at, p.Grid.Spans(at), p.Grid.Kernels()})
	}
	return list
}

// event is one of the Chrome trace-event format: complete ("X") events have a
// begin and a duration in microseconds, metadata ("M") events names.
type event struct {
	Name  string            `json:"name"`
	Phase string            `json:"ph"`
	Time  float64           `json:"ts"`
	Took  float64           `json:"dur,omitempty"`
	PID   int               `json:"pid"`
	TID   int               `json:"tid"`
	Args  map[string]string `json:"args,omitempty"`
}

// WriteTrace writes what the traced cores did in the Chrome trace-event format,
// which chrome://tracing and ui.perfetto.dev show: a thread for each core, a bar
// for each kernel, and waits within. Times are for a clock of ghz GHz.
func WriteTrace(w io.Writer, o Outcome, ghz float64) error {
	us := func(cycles int64) float64 { return float64(cycles) / ghz / 1000 }
	events := []event{{Name: "process_name", Phase: "M", Args: map[string]string{
		"name": fmt.Sprintf("%s on %d x %d, %d cycles", o.Kernel, o.Width, o.Height, o.Cycles)}}}
	for tid, t := range o.Traces {
		events = append(events, event{Name: "thread_name", Phase: "M", TID: tid,
			Args: map[string]string{"name": "core " + t.At.String()}})
		for _, s := range t.Spans {
			name := "program"
			if int(s.Kernel) < len(t.Kernels) {
				name = t.Kernels[s.Kernel]
			}
			if s.Waiting {
				name = "waits"
			}
			events = append(events, event{Name: name, Phase: "X", TID: tid, Time: us(int64(s.From)),
				Took: us(int64(s.Till - s.From)), Args: map[string]string{"cycles": fmt.Sprintf("%d to %d", s.From, s.Till)}})
		}
	}
	return json.NewEncoder(w).Encode(struct {
		Events []event `json:"traceEvents"`
		Unit   string  `json:"displayTimeUnit"`
	}{events, "ns"})
}
