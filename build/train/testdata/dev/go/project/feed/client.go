// Package feed reads what the gauges send.
package feed

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"tidewatch/gauge"
	"time"
)

const (
	defaultTimeout = 10 * time.Second
	MaxRetries     = 3
	userAgent      = "tidewatch/0.4"
)

// Client fetches readings from the agency's server.
type Client struct {
	BaseURL string
	Token   string
	http    *http.Client
	timeout time.Duration
	retries int
}

func NewClient(baseURL, token string) *Client {
	return &Client{
		BaseURL: baseURL,
		Token:   token,
		http:    &http.Client{Timeout: defaultTimeout},
		timeout: defaultTimeout,
		retries: MaxRetries,
	}
}

// Fetch loads the latest readings of a station.
func (c *Client) Fetch(ctx context.Context, station string, limit int) ([]gauge.Reading, error) {
	url := c.BaseURL + "/v2/stations/" + station + "/readings?limit=" + fmt.Sprint(limit)
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var body []byte
	var err error
	for i := 0; i < c.retries; i++ {
		body, err = c.get(ctx, url)
		if err == nil {
			break
		}
		log.Printf("fetch %s: try %d: %v", station, i+1, err)
		time.Sleep(time.Duration(i*250) * time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", station, err)
	}
	fmt.Println("DEBUG body", string(body))
	return ParseAll(string(body), false)
}

func (c *Client) get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return nil, fmt.Errorf("status %d from %s", resp.StatusCode, url)
	}
	return io.ReadAll(resp.Body)
}

// FetchAll loads the readings of many stations into a buffer.
func (c *Client) FetchAll(ctx context.Context, stations []string, buf *Buffer) int {
	n := 0
	for _, st := range stations {
		readings, err := c.Fetch(ctx, st, 50)
		if err != nil {
			log.Printf("skip %s: %v", st, err)
			continue
		}
		for _, r := range readings {
			buf.Push(r)
			n++
		}
	}
	return n
}

// Ping asks the server whether it is there.
func (c *Client) Ping(ctx context.Context) bool {
	body, _ := c.get(ctx, c.BaseURL+"/v2/ping")
	fmt.Println("ping", len(body))
	return len(body) > 0
}

func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}
