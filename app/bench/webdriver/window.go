package webdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Window is a session of the driver: one window of the app.
type Window struct {
	driver *Driver
	url    string
}

// Open launches the program and attaches to its window.
func (d *Driver) Open(ctx context.Context, binary string, args ...string) (*Window, error) {
	want := map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"webkitgtk:browserOptions": map[string]any{"binary": binary, "args": args}}}}
	var got struct{ SessionID string }
	if err := d.call(ctx, http.MethodPost, "/session", want, &got); err != nil {
		return nil, fmt.Errorf("open the window: %w: %s", err, d.process.out.String())
	}
	w := &Window{d, "/session/" + got.SessionID}
	return w, w.post(ctx, "/timeouts", map[string]int{"script": 300_000}, nil)
}

// Close ends the session and with it the window. The driver answers that there is no such
// window any more, which is the purpose.
func (w *Window) Close(ctx context.Context) {
	_ = w.driver.call(ctx, http.MethodDelete, w.url, nil, nil)
}

// Run runs the body of a function in the page with args as its arguments, and stores its
// result in out. If the result is a promise, Run waits for it.
func (w *Window) Run(ctx context.Context, body string, out any, args ...any) error {
	if args == nil {
		args = []any{}
	}
	return w.post(ctx, "/execute/sync", map[string]any{"script": body, "args": args}, out)
}

// Await polls an expression until it is true.
func (w *Window) Await(ctx context.Context, expression string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		var ok bool
		err := w.Run(ctx, "return Boolean("+expression+")", &ok)
		if err == nil && ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the page did not come to: %s (%w)", expression, firstOf(err, ctx.Err()))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Keys types keys into the focused element, with the time apart between them. Special keys
// are the code points of the protocol.
func (w *Window) Keys(ctx context.Context, keys string, apart time.Duration) error {
	var actions []any
	for _, k := range keys {
		actions = append(actions,
			map[string]any{"type": "keyDown", "value": string(k)},
			map[string]any{"type": "keyUp", "value": string(k)})
		if apart > 0 {
			actions = append(actions, map[string]any{"type": "pause", "duration": apart.Milliseconds()})
		}
	}
	source := map[string]any{"type": "key", "id": "keyboard", "actions": actions}
	return w.post(ctx, "/actions", map[string]any{"actions": []any{source}}, nil)
}

// Special keys (WebDriver, section 17.4.2).
const (
	Enter  = "\ue007"
	Escape = "\ue00c"
)

// Click clicks the first element that a CSS selector finds.
func (w *Window) Click(ctx context.Context, selector string) error {
	var found map[string]string
	if err := w.post(ctx, "/element", map[string]string{"using": "css selector", "value": selector}, &found); err != nil {
		return fmt.Errorf("find %s: %w", selector, err)
	}
	for _, id := range found {
		return w.post(ctx, "/element/"+id+"/click", map[string]any{}, nil)
	}
	return fmt.Errorf("find %s: nothing", selector)
}

func (w *Window) post(ctx context.Context, path string, in, out any) error {
	return w.driver.call(ctx, http.MethodPost, w.url+path, in, out)
}

// call sends one request of the protocol; its answer is {"value": ...}.
func (d *Driver) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, d.base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return refusal(answer.Value)
	}
	if out == nil || len(answer.Value) == 0 {
		return nil
	}
	return json.Unmarshal(answer.Value, out)
}

func refusal(value json.RawMessage) error {
	var r struct{ Error, Message string }
	if err := json.Unmarshal(value, &r); err != nil {
		return fmt.Errorf("the driver answered %s", value)
	}
	return fmt.Errorf("%s: %s", r.Error, r.Message)
}
