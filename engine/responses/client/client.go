package client

import (
	"context"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
)

// Provider is a server, and how to talk to it.
type Provider struct {
	chat.Provider
	Wire       string             // "responses"; anything else is chat completions
	WebSockets bool               // try them before HTTP
	MaxAge     time.Duration      // of a socket; 0: what the provider is known to allow
	Dialect    *responses.Dialect // nil: what the provider is known to understand
}

// maxAnswer bounds the text of an answer in bytes.
const maxAnswer = 64 << 20

// Client talks to a provider.
type Client struct {
	of      Provider
	chat    *chat.Client
	dialect responses.Dialect
	sockets *pool
	refused atomic.Bool // the server has no WebSockets
	most    int         // bytes of text of an answer; tests set less
}

// New returns a client. Nothing is sent yet.
func New(p Provider) *Client {
	if p.Idle == 0 {
		p.Idle = 5 * time.Minute
	}
	host := ""
	if u, err := url.Parse(p.BaseURL); err == nil {
		host = u.Hostname() // a wrong URL is an error of the first request
	}
	c := &Client{of: p, dialect: known(host), most: maxAnswer}
	c.chat = chat.New(p.Provider)
	if p.Dialect != nil {
		c.dialect = *p.Dialect
	}
	if p.MaxAge == 0 {
		c.of.MaxAge = maxAge(host)
	}
	c.sockets = newPool(c)
	return c
}

// known returns what the server at a host is known to understand. Others get what all do.
func known(host string) responses.Dialect {
	switch {
	case within(host, "openai.com"), within(host, "azure.com"):
		return responses.Dialect{Freeform: true, Encrypted: true, CacheKey: true, Developer: true}
	case within(host, "x.ai"):
		return responses.Dialect{Encrypted: true, CacheKey: true}
	}
	return responses.Dialect{}
}

// maxAge returns how old a socket may be when a response begins on it: some minutes less
// than the server allows.
func maxAge(host string) time.Duration {
	if within(host, "x.ai") {
		return 20 * time.Minute // closed at 24
	}
	return 50 * time.Minute // closed at 60
}

func within(host, domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }

// Close closes the sockets and idle connections.
func (c *Client) Close() {
	c.sockets.close()
	c.chat.Close()
}

// Models asks the provider which models it has.
func (c *Client) Models(ctx context.Context) ([]chat.ListedModel, error) { return c.chat.Models(ctx) }

// Wire says what the next request goes over: "websocket", "sse" or "chat".
func (c *Client) Wire() string {
	switch {
	case c.of.Wire != "responses":
		return "chat"
	case c.of.WebSockets && !c.refused.Load():
		return "websocket"
	}
	return "sse"
}

// Model returns a model of the provider. It costs nothing.
func (c *Client) Model(id string, info model.Info) model.Model {
	if c.Wire() == "chat" {
		return c.chat.Model(id, info)
	}
	return &responsesModel{c, id, info}
}

// Connect sees to it that the next request finds a connection, and returns at once. Nothing is asked. The
// API could also read a prompt's beginning ahead ("generate": false). What that costs is uncertain; whoever types
// and deletes a request would pay for it, and the project's files would leave this computer before a
// request was sent. What it saves is small beside the handshakes: a conversation's prompts begin with
// the one before, which the provider has in its cache.
func (c *Client) Connect() {
	if c.Wire() == "websocket" {
		c.sockets.ready()
		return
	}
	c.chat.Connect()
}

type responsesModel struct {
	client *Client
	id     string
	info   model.Info
}

// Info describes the model.
func (m *responsesModel) Info() model.Info { return m.info }

// Connect sees to it that the next request finds a connection.
func (m *responsesModel) Connect() { m.client.Connect() }
