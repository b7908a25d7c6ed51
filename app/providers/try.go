package providers

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/engine/responses/chat"
)

// Found is what a provider answered to somebody who is about to add it.
type Found struct {
	Models []Listed
	Note   string // what the user should know; ""
}

// maxList bounds the list of models that a provider sends, in bytes.
const maxList = 16 << 20

// Try connects to a provider that is not in config.toml yet, and asks for its models. Nothing is
// kept. key is nil for the one that there is.
func (s *Source) Try(ctx context.Context, p config.Provider, key *keys.Secret) (Found, error) {
	if err := config.Check(p); err != nil {
		return Found{}, err
	}
	secret := ""
	if key != nil {
		secret = key.Reveal()
	} else {
		k, at, err := s.Keys.Find(ctx, For(p))
		switch {
		case err != nil:
			return Found{}, err
		case at == keys.Missing && p.EnvKey != "":
			return Found{}, fmt.Errorf("%s needs a key: paste it, or set the variable %s", p.Label(), p.EnvKey)
		case at != keys.Missing && at != keys.None:
			secret = k.Reveal()
		}
	}
	body, status, err := s.list(ctx, p, secret)
	if err != nil {
		return Found{}, unreachable(p, err)
	}
	return found(p, body, status, secret)
}

// list asks for the models.
func (s *Source) list(ctx context.Context, p config.Provider, secret string) (body []byte, status int, err error) {
	u, err := url.Parse(strings.TrimRight(p.BaseURL, "/") + "/models")
	if err != nil {
		return nil, 0, err
	}
	q := u.Query()
	for name, v := range p.Query {
		q.Set(name, v)
	}
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, 0, err
	}
	for name, v := range p.Headers {
		req.Header.Set(name, v)
	}
	for name, variable := range p.EnvHeaders {
		if v, is := keys.Getenv(ctx, variable); is {
			req.Header.Set(name, v)
		}
	}
	if secret != "" {
		chat.Authorize(req, secret)
	}
	h, err := s.http(p)
	if err != nil {
		return nil, 0, err
	}
	if h == nil {
		h = chat.Trusting(nil)
	}
	defer h.CloseIdleConnections()
	res, err := h.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = res.Body.Close() }() // it was read, or is not wanted
	body, err = io.ReadAll(io.LimitReader(res.Body, maxList))
	return body, res.StatusCode, err
}

// unreachable says why there was no answer, and what to do.
func unreachable(p config.Provider, err error) error {
	host := p.BaseURL
	if u, err := url.Parse(p.BaseURL); err == nil {
		host = u.Host
	}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var helpful interface {
		error
		Next() string
	}
	switch {
	case errors.As(err, &helpful):
		return fmt.Errorf("%s cannot be reached: %w; %s", host, helpful, helpful.Next())
	case errors.As(err, &dns):
		return fmt.Errorf("%s is not known: check the base URL, and that this computer is online", host)
	case errors.As(err, &cert):
		return fmt.Errorf("the certificate of %s is not trusted (%w): if your company has its own, "+
			"set ca_file in config.toml", host, cert.Err)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%s does not speak TLS: begin the base URL with http://", host)
	case errors.Is(err, syscall.ECONNREFUSED) && OnThisComputer(p):
		return fmt.Errorf("nothing answers at %s: start %s, or correct the port", host, p.Label())
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%s refuses the connection: check the address and the port", host)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer in time: check the address, and whether a proxy is needed (HTTPS_PROXY)", host)
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s cannot be reached: %w", host, err)
}

// found reads the answer.
func found(p config.Provider, body []byte, status int, secret string) (Found, error) {
	said := saidBy(body, secret)
	switch {
	case status == http.StatusUnauthorized && secret == "":
		return Found{}, fmt.Errorf("%s needs a key (401): paste it", p.Label())
	case status == http.StatusUnauthorized:
		return Found{}, fmt.Errorf("%s does not take this key (401): check that it was copied whole, and is of %s%s",
			p.Label(), p.Origin(), said)
	case status == http.StatusForbidden:
		return Found{}, fmt.Errorf("%s refuses (403): the key may not list models, or not from here%s", p.Label(), said)
	case status == http.StatusTooManyRequests:
		return Found{}, fmt.Errorf("%s has had too many requests (429): wait a little, or check the account's limits%s",
			p.Label(), said)
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return Found{Note: fmt.Sprintf("There is no list of models at %s/models (%d). If requests fail, "+
			"check the base URL: mostly it ends with /v1.", strings.TrimRight(p.BaseURL, "/"), status)}, nil
	case status != http.StatusOK:
		return Found{}, fmt.Errorf("%s answered with status %d: try again later, or check the base URL%s", p.Label(), status,
			said)
	}
	models, unusable, err := modelsIn(body)
	if err != nil {
		return Found{}, fmt.Errorf("what answers at %s is no server of models: check the base URL, mostly it ends with /v1",
			p.BaseURL)
	}
	out := Found{Models: models}
	if len(out.Models) == 0 && len(unusable) == 0 {
		out.Note = p.Label() + " has no models yet. If it loads them by hand, load one first."
	}
	if len(unusable) > 0 {
		out.Note = leftOutNote(unusable)
	}
	return out, nil
}

// leftOutNote says which models of a list cannot be used, and why.
func leftOutNote(unusable []string) string {
	is := "is"
	if len(unusable) > 1 {
		is = "are"
	}
	return fmt.Sprintf(
		"%s %s left out: the name of a model has 1 to 256 characters, no space around them, and none of them "+
			"is a control character.", some(unusable), is)
}

// saidBy returns the message of an error, without the key, which some servers repeat.
func saidBy(body []byte, secret string) string {
	var e struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil || e.Error.Message == "" {
		return ""
	}
	words := e.Error.Message
	if secret != "" {
		words = strings.ReplaceAll(words, secret, "•••")
	}
	return "; it says: " + clip(words)
}

// modelsIn reads a list of models.
func modelsIn(body []byte) (models []Listed, unusable []string, err error) {
	all, err := chat.ParseModels(body)
	if err != nil {
		return nil, nil, err
	}
	models, unusable = listed(all)
	return models, unusable, nil
}

// listed returns the models of a list, and those that are left out because their names cannot be used: these
// are quoted, so that they are harmless where they are shown.
func listed(all []chat.ListedModel) (out []Listed, unusable []string) {
	out = []Listed{}
	for _, m := range all {
		if config.CheckModel(m.ID) != nil {
			unusable = append(unusable, strconv.QuoteToASCII(clip(m.ID)))
			continue
		}
		out = append(out, Listed{ID: m.ID, Context: m.Context, OwnedBy: m.OwnedBy, Price: m.Price})
	}
	return out, unusable
}
