package chat

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Error is what went wrong between us and a provider.
type Error struct {
	Provider   string
	Status     int // of HTTP; 0: there was no answer
	Message    string
	Next       string
	RetryAfter time.Duration
	Again      bool // another try may succeed
	err        error
}

func (e *Error) Error() string {
	s := e.Provider + ": " + e.Message
	if e.Next != "" {
		s += "; " + e.Next
	}
	return s
}

func (e *Error) Unwrap() error { return e.err }

// StatusError is the error for an answer that is not 200. It quotes the provider's message.
func (c *Client) StatusError(r *http.Response) *Error {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16)) // a broken body has no message
	e := &Error{Provider: c.of.Name, Status: r.StatusCode,
		Message: fmt.Sprintf("%d %s%s", r.StatusCode, http.StatusText(r.StatusCode), said(body))}
	switch {
	case r.StatusCode == http.StatusUnauthorized:
		e.Next = c.CheckKey()
	case r.StatusCode == http.StatusForbidden:
		e.Next = "the key may not do this: check what it is allowed at the provider"
	case r.StatusCode >= 300 && r.StatusCode < 400:
		e.Next = "its address leads elsewhere: correct base_url"
	case r.StatusCode == http.StatusNotFound:
		e.Next = "check the model's name ('waferpair models list --refresh') and base_url"
	case r.StatusCode == http.StatusTooManyRequests:
		e.Again, e.Next = true, "wait, or ask the provider for a higher limit"
	case r.StatusCode >= 500, r.StatusCode == http.StatusRequestTimeout:
		e.Again, e.Next = true, "try again later"
	}
	if n, err := strconv.ParseFloat(r.Header.Get("Retry-After"), 64); err == nil && n > 0 && n < 3600 {
		e.RetryAfter = time.Duration(n * float64(time.Second))
	}
	return e
}

// CheckKey is the next step after a key was refused.
func (c *Client) CheckKey() string {
	from := ":"
	if c.of.KeyEnv != "" {
		from = " in the variable " + c.of.KeyEnv + ", or replace it:"
	}
	return "check its key" + from + " 'waferpair models add " + c.of.Name + " --key-stdin' replaces the one in the keyring"
}

// Hide takes the key and the values of headers out of a message: providers quote what they refuse.
func (c *Client) Hide(e *Error, key string) *Error {
	secrets := []string{key}
	for _, v := range c.of.Headers {
		secrets = append(secrets, v)
	}
	for _, s := range secrets {
		if len(s) >= 4 {
			e.Message = strings.ReplaceAll(e.Message, s, "•••")
		}
	}
	return e
}

// said returns the message in an error's body, for the end of a sentence.
func said(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	text := e.Message
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(e.Error, &inner) == nil && inner.Message != "" {
		text = inner.Message
	} else if s := ""; json.Unmarshal(e.Error, &s) == nil && s != "" {
		text = s
	}
	if text == "" {
		return ""
	}
	if r := []rune(text); len(r) > 400 {
		text = string(r[:400]) + "..."
	}
	return ": " + text
}

// NetError is the error for a request without an answer.
func (c *Client) NetError(err error) *Error {
	e := &Error{Provider: c.of.Name, err: err, Again: true}
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns):
		e.Message, e.Next = fmt.Sprintf("the name %s cannot be resolved", dns.Name),
			"check base_url and the network"
		e.Again = dns.IsTemporary || dns.IsTimeout
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &cert):
		e.Message, e.Next, e.Again = "its certificate is not trusted: "+cause(err),
			"set ca_file to your company's certificates, or SSL_CERT_FILE", false
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message, e.Next = "nobody listens at "+c.of.BaseURL, "start the server, or correct base_url"
	default:
		e.Message, e.Next = "no answer: "+cause(err), "check the network and base_url, then try again"
	}
	return e
}

// cause is the innermost error, without the URL, which may have parameters.
func cause(err error) string {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err.Error()
}

// Broken is the error for a stream that ended early.
func (c *Client) Broken(ctx context.Context, why string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		why += ": " + cause(err)
	}
	return &Error{Provider: c.of.Name, Message: strings.TrimSpace(why), err: err,
		Next: "what arrived is kept; continue, or ask again"}
}
