package chat

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"time"
	"waferpair/engine/responses"
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
	said := responses.ParseError(body)
	if said == nil {
		said = &responses.Error{}
	}
	said.Status = r.StatusCode
	e := c.Reported(said)
	if r.StatusCode == http.StatusBadRequest && bytes.Contains(body, []byte("HTTPS")) && said.Message == "" {
		e.Next = "it speaks TLS: begin base_url with https://" // what web servers say to plain HTTP
	}
	return e.After(cmp.Or(retryAfter(r.Header.Get("Retry-After"), time.Now()), e.RetryAfter))
}

// Reported is the error for people of what a provider reports: with a status, or within a stream.
func (c *Client) Reported(said *responses.Error) *Error {
	e := c.Hide(&Error{Provider: c.of.Name, Status: said.Status, Message: messageOf(said)})
	e.Next, e.Again = c.next(statusOf(said.Status, said.Code), strings.ToLower(said.Code+" "+said.Type),
		strings.ToLower(said.Message))
	return e.After(TryAgainIn(e.Message))
}

// statusOf is the status of an error; one without may have that of a provider behind this one as its code.
func statusOf(status int, code string) int {
	if n, err := strconv.Atoi(code); err == nil && status == 0 {
		return n
	}
	return status
}

// messageOf is what a provider says, with its status.
func messageOf(said *responses.Error) string {
	if said.Status == 0 {
		return sentence(said.Error())
	}
	name := http.StatusText(said.Status)
	words := strings.TrimSpace(fmt.Sprint(said.Status, " ", name))
	text := []rune(sentence(said.Message))
	switch {
	case len(text) > 400:
		return words + ": " + string(text[:400]) + "..."
	case len(text) == 0 || strings.EqualFold(string(text), name):
		return words
	}
	return words + ": " + string(text)
}

// sentence returns words without what ends them, because others follow.
func sentence(words string) string { return strings.TrimRight(words, " .,;:") }

// noCredit are the words of providers for an account that has nothing left, which some say under a code of
// another error, or none.
var noCredit = regexp.MustCompile(`insufficient[ _](quota|balance|credit|funds)|exceeded your current quota|` +
	`credit balance is too low|billing (hard )?limit`)

// next says what to do about an error, and whether another try may succeed. A quota that comes back, as the
// message says when it does, is a limit of the rate.
func (c *Client) next(status int, code, message string) (next string, again bool) {
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(code, w) })
	}
	switch {
	case status == http.StatusPaymentRequired, is("quota", "billing", "insufficient_credit"),
		noCredit.MatchString(message) && TryAgainIn(message) == 0:
		return "the account has no credit left: see the provider's page for billing", false
	case status == http.StatusUnauthorized, is("api_key", "authentication"):
		return c.CheckKey(), false
	case status == http.StatusForbidden:
		return "the key may not do this: check what it is allowed at the provider", false
	case status == http.StatusNotFound, is("model_not_found"):
		return "check the model's name ('waferpair models list --refresh') and base_url", false
	case is("context_length"), strings.Contains(message, "context length"), strings.Contains(message, "context window"),
		status == http.StatusRequestEntityTooLarge:
		return "take files out of the context, or begin a new session", false
	case status == http.StatusTooManyRequests, is("rate_limit"):
		return "wait, or ask the provider for a higher limit", true
	case status >= 500, status == http.StatusRequestTimeout, is("server_error", "overloaded"):
		return "try again later", true
	case status >= 300 && status < 400:
		return "its address leads elsewhere: correct base_url", false
	case status == http.StatusProxyAuthRequired:
		return nameToProxy, false
	}
	return "change the request, or try another model", false
}

// Page is the error for an answer that is a web page, as of a proxy that wants one to log in; nil: it
// is none.
func (c *Client) Page(r *http.Response) error {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	return &Error{Provider: c.of.Name, Message: "it answered with a web page",
		Next: "correct base_url, which mostly ends with /v1, or look at " + c.of.BaseURL + " in a browser"}
}

// nameToProxy is the next step for a proxy that wants to know who asks.
const nameToProxy = "put a name and a password into the variable: HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT"

// maxPause is the longest pause before another try; a provider that asks for more is not asked again.
const maxPause = 10 * time.Minute

// After notes how long the provider asks to wait; 0: it does not say.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	if e.Again && d > maxPause {
		e.Again, e.Next = false, fmt.Sprintf("it asks to wait for %v; another model may serve until then",
			d.Round(time.Second))
	}
	return e
}

// retryAfter reads the header Retry-After: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		return between(n * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return between(float64(at.Sub(now)))
}

// between returns a pause that a provider asks for; 0 for one that makes no sense.
func between(d float64) time.Duration {
	if !(d > 0) {
		return 0
	}
	return time.Duration(min(d, float64(30*24*time.Hour)))
}

var tryAgain = regexp.MustCompile(
	`(?i)(?:try again|retry) (?:in|after) ((?:[0-9.]+(?:ms|h|m|s)\b|[0-9.]+[hm])+|[0-9.]+ ?(?:seconds?|minutes?)\b)`)

// TryAgainIn returns how long a message says that one should wait: "try again in 1.3s"; 0: it does not.
func TryAgainIn(message string) time.Duration {
	m := tryAgain.FindStringSubmatch(message)
	if m == nil {
		return 0
	}
	words := strings.ToLower(m[1])
	for _, unit := range []string{"second", "minute"} {
		if number, _, is := strings.Cut(words, unit); is {
			words = strings.TrimSpace(number) + unit[:1]
		}
	}
	d, err := time.ParseDuration(words)
	if err != nil {
		return 0
	}
	return between(float64(d))
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
func (c *Client) Hide(e *Error) *Error {
	c.mu.Lock()
	secrets := []string{c.key}
	c.mu.Unlock()
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

// NetError is the error for a request without an answer.
func (c *Client) NetError(err error) *Error {
	e := &Error{Provider: c.of.Name, err: err, Again: true}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var op *net.OpError
	var proxy *proxyError
	switch {
	case errors.As(err, &proxy):
		e.Message, e.Next = proxy.Error(), proxy.Next()
		e.Again = proxy.status >= 500
	case errors.As(err, &op) && op.Op == "proxyconnect":
		e.Message, e.Next = "the proxy cannot be reached: "+cause(err),
			"correct the variable HTTPS_PROXY, or add the provider's host to NO_PROXY"
	case errors.As(err, &dns):
		e.Message, e.Next = fmt.Sprintf("the name %s cannot be resolved", dns.Name),
			"check base_url and the network"
		e.Again = dns.IsTemporary || dns.IsTimeout
	case errors.As(err, &cert):
		e.Message, e.Next, e.Again = "its certificate is not trusted: "+cause(err), nextOfCert(err), false
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		e.Message, e.Next, e.Again = "it does not speak TLS", "begin base_url with http://, or correct its port", false
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message, e.Next = "nobody listens at "+c.of.BaseURL, "start the server, or correct base_url"
	default:
		e.Message, e.Next = "no answer: "+cause(err), "check the network and base_url, then try again"
	}
	return e
}

// nextOfCert is the next step for a certificate that is not trusted.
func nextOfCert(err error) string {
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &host):
		return "correct base_url: its host must be one that the certificate is for"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "check this computer's clock; otherwise whoever runs the server has to renew the certificate"
	}
	return "set ca_file to your company's certificates, or SSL_CERT_FILE"
}

// proxyError is the answer of a proxy that does not connect us.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy refuses to connect: %d %s", e.status, http.StatusText(e.status))
}

// Next is what the user can do about it.
func (e *proxyError) Next() string {
	if e.status == http.StatusProxyAuthRequired {
		return nameToProxy
	}
	return "check HTTPS_PROXY, or add the provider's host to NO_PROXY"
}

// proxyAnswered looks at a proxy's answer to CONNECT.
func proxyAnswered(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if r.StatusCode != http.StatusOK {
		return &proxyError{r.StatusCode}
	}
	return nil
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

// again marks an error that another try may mend.
func again(err error) error {
	if e, is := err.(*Error); is {
		e.Again = true
	}
	return err
}

// brokeOff is the error for a stream that reports one. Where the provider is only busy, another try may
// succeed.
func (c *Client) brokeOff(data []byte) error {
	said := responses.ParseError(data)
	if said == nil {
		said = &responses.Error{}
	}
	e := c.Reported(said)
	e.Message = "it broke off: " + e.Message
	return e
}
