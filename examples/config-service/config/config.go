// Package config reads the service's configuration file.
package config

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// DefaultPort is used when the file does not set one.
const DefaultPort = 8080

// MaxLine is the longest line that is accepted, in bytes.
const MaxLine = 4096

// Config is what the file says.
type Config struct {
	Port   int
	Values map[string]string
}

// ParseConfig reads the file at path.
func ParseConfig(path string) (*Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(f)
}

func parse(r io.Reader) (*Config, error) {
	cfg := &Config{Port: DefaultPort, Values: map[string]string{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, MaxLine), MaxLine)
	for n := 1; lines.Scan(); n++ {
		if err := cfg.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return cfg, lines.Err()
}

func (c *Config) line(s string) error {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasPrefix(s, "#") {
		return nil
	}
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("%q is not name = value", s)
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if name == "port" {
		port, err := strconv.Atoi(value)
		c.Port = port
		return err
	}
	c.Values[name] = value
	return nil
}
