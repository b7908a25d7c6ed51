package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"waferpair/engine/model"
)

// ListedModel is a model that the provider lists.
type ListedModel struct {
	ID      string
	Context int
	OwnedBy string
	Price   *model.Price // nil: it is not listed, or not fixed
}

// The bounds of a list of models.
const (
	maxList     = 32 << 20
	maxListTime = time.Minute
)

// nameModels is the next step where there is no list of models that can be read.
func (c *Client) nameModels() string {
	base := strings.TrimSuffix(c.of.BaseURL, "/")
	if u, err := url.Parse(base); err == nil && strings.Trim(u.Path, "/") == "" {
		return "base_url lacks its path: try " + base + "/v1"
	}
	return "correct base_url, which mostly ends with /v1; models can be named in config.toml, too"
}

// noList says of a request for the models that nothing is at its address.
func (c *Client) noList(err error) error {
	var e *Error
	if errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed) {
		e.Message, e.Next = fmt.Sprintf("it has no list of models (%d)", e.Status), c.nameModels()
	}
	return err
}

// Models asks the provider which models it has.
func (c *Client) Models(ctx context.Context) ([]ListedModel, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxListTime, &Error{Provider: c.of.Name,
		Message: fmt.Sprintf("its list of models did not come within %v", maxListTime),
		Next:    "check the network and base_url; models can be named in config.toml, too"})
	defer cancel()
	r, err := c.send(ctx, http.MethodGet, "/models", nil, func(model.Delta) error { return nil })
	if err != nil {
		return nil, c.noList(err)
	}
	defer r.Body.Close()
	if err := c.Page(r); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxList))
	if err != nil {
		return nil, c.Broken(ctx, "its list of models broke off", err)
	}
	out, err := ParseModels(body)
	if err != nil {
		return nil, &Error{Provider: c.of.Name, Message: "its list of models cannot be read: " + err.Error(),
			Next: c.nameModels()}
	}
	return out, nil
}

var errNoList = errors.New("there is no list in it")

// ParseModels reads a list of models. Servers name the size of the context in several ways; what is no
// model is left out.
func ParseModels(body []byte) ([]ListedModel, error) {
	if !json.Valid(body) {
		return nil, errors.New("it is no JSON, or was cut")
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil {
		return nil, errNoList
	}
	out := make([]ListedModel, 0, len(list.Data))
	for _, raw := range list.Data {
		var m struct {
			ID        string          `json:"id"`
			OwnedBy   json.RawMessage `json:"owned_by"`
			Length    count           `json:"context_length"` // OpenRouter
			Window    count           `json:"context_window"` // Groq
			MaxLength count           `json:"max_model_len"`  // vLLM
			Most      count           `json:"max_context_length"`
			Meta      struct {
				Context count `json:"n_ctx"` // llama.cpp: of a request, not what the model was trained for
			} `json:"meta"`
			Pricing json.RawMessage `json:"pricing"`
		}
		if json.Unmarshal(raw, &m) != nil || m.ID == "" {
			continue
		}
		var owner string
		_ = json.Unmarshal(m.OwnedBy, &owner) // "" when it is no text
		out = append(out, ListedModel{m.ID, int(max(m.Length, m.Window, m.MaxLength, m.Most, m.Meta.Context)), owner,
			priceIn(m.Pricing)})
	}
	return out, nil
}

// priceIn reads the prices of a model as OpenRouter lists them: dollars for a token, as text. A router lists
// -1, because its price is that of the model it chooses; other servers list prices of other units under
// other names. Both are nil.
func priceIn(raw json.RawMessage) *model.Price {
	var p struct {
		Prompt     *dollars `json:"prompt"`
		Completion *dollars `json:"completion"`
		CacheRead  *dollars `json:"input_cache_read"`
	}
	if json.Unmarshal(raw, &p) != nil || p.Prompt == nil || p.Completion == nil {
		return nil
	}
	if p.CacheRead == nil {
		p.CacheRead = p.Prompt
	}
	return &model.Price{Input: p.Prompt.aMillion(), Cached: p.CacheRead.aMillion(), Output: p.Completion.aMillion()}
}

// dollars is an amount in JSON, a number or a text with one; not negative.
type dollars float64

func (d *dollars) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || !(v >= 0 && v < 1) {
		return fmt.Errorf("%s is no price of a token", b)
	}
	*d = dollars(v)
	return nil
}

// aMillion returns the price of a million of what d is the price of, to a millionth of a dollar: 0.0000006
// times a million is not 0.6 in binary.
func (d dollars) aMillion() float64 { return math.Round(float64(d)*1e12) / 1e6 }
