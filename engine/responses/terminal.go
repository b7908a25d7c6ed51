package responses

import (
	"cmp"
	"encoding/json"
	"fmt"

	"waferpair/engine/model"
)

// terminalResponse is what is read of the response in a terminal event.
type terminalResponse struct {
	ID         string            `json:"id"`
	Status     string            `json:"status"`
	Usage      json.RawMessage   `json:"usage"`
	Error      json.RawMessage   `json:"error"`
	Output     []json.RawMessage `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// Whole decodes a response that came as one JSON object, from a server that does not
// stream.
func (d *Decoder) Whole(data []byte, emit Emit) error {
	if len(data) > MaxEvent {
		return ErrTooLarge
	}
	return d.terminal(&event{kind: "response.done", response: data}, emit)
}

// terminal ends the response.
func (d *Decoder) terminal(e *event, emit Emit) error {
	var r terminalResponse
	if err := json.Unmarshal(e.response, &r); err != nil {
		return fmt.Errorf("the end of the response: %w", err)
	}
	d.id = cmp.Or(cleanID(r.ID), d.id)
	var usage model.Usage
	if len(r.Usage) > 2 && string(r.Usage) != "null" && json.Unmarshal(r.Usage, &usage) == nil {
		d.result.Usage = &usage
	}
	if e.kind == "response.failed" || e.kind == "response.cancelled" || r.Status == "failed" || r.Status == "cancelled" {
		if err := parseFields(r.Error); err != nil {
			err.Message, err.Code = clean(err.Message, 2000), clean(err.Code, 100)
			return err
		}
		return &Error{Code: "server_error", Message: "the response failed without a reason"}
	}
	if err := d.outputs(r.Output, emit); err != nil {
		return err
	}
	if err := d.endAll(emit); err != nil {
		return err
	}
	d.result.Stop = stop(r, e.kind, d.result.Stop)
	d.done = true
	return nil
}

// outputs emits the items that only the end of the response has, and ends open ones.
func (d *Decoder) outputs(output []json.RawMessage, emit Emit) error {
	ended := 0
	for _, it := range d.items {
		if it.ended {
			ended++
		}
	}
	if ended >= len(output) {
		return nil
	}
	for n, raw := range output {
		e := event{output: n, item: raw}
		if it := d.byIndex[n]; it != nil && it.ended {
			continue
		}
		i, wraps, err := d.item(raw)
		if err != nil {
			return err
		}
		if it := d.byID[i.ID]; it != nil && i.ID != "" {
			e.output = it.output
		} else if d.byIndex[n] == nil && n < len(d.items) && d.items[n].output < 0 {
			d.items[n].wraps = wraps
			if err := d.finish(d.items[n], i, emit); err != nil {
				return err
			}
			continue
		}
		if err := d.itemDone(&e, emit); err != nil {
			return err
		}
	}
	return nil
}

// endAll ends the items that the server left open.
func (d *Decoder) endAll(emit Emit) error {
	for _, it := range d.items {
		if !it.begun || it.ended {
			continue
		}
		d.blind = true
		if err := d.end(it, model.End{At: it.at}, emit); err != nil {
			return err
		}
	}
	return nil
}

// stop returns why a response ended. so is StopTools when it has calls.
func stop(r terminalResponse, kind string, so model.Stop) model.Stop {
	if kind != "response.incomplete" && r.Status != "incomplete" {
		return cmp.Or(so, model.StopEnd)
	}
	switch r.Incomplete.Reason {
	case "content_filter":
		return model.StopFilter
	case "steered", "interrupted":
		return model.StopCut
	}
	return model.StopLength
}
