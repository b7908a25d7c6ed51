package feed

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"tidewatch/gauge"
	"time"
)

const fieldSep = ";"

var errShortLine = errors.New("line too short")

// Format is the layout of a gauge's lines.
type Format int

const (
	FormatPlain Format = iota
	FormatNMEA
	FormatHex
)

func (f Format) String() string {
	switch f {
	case FormatPlain:
		return "plain"
	case FormatNMEA:
		return "nmea"
	case FormatHex:
		return "hex"
	}
	return "format?"
}

// ParseLine reads one line: station;time;level;temp.
func ParseLine(line string, lineNo int, lax bool) (gauge.Reading, error) {
	parts := strings.Split(strings.TrimSpace(line), fieldSep)
	if len(parts) < 4 {
		return gauge.Reading{}, fmt.Errorf("line %d: %w", lineNo, errShortLine)
	}
	id := strings.ToLower(strings.TrimSpace(parts[0]))
	taken, err := time.Parse(time.RFC3339, parts[1])
	if err != nil && !lax {
		return gauge.Reading{}, fmt.Errorf("line %d: %w", lineNo, err)
	}
	level, err := parseLevel(parts[2], lineNo)
	if err != nil {
		return gauge.Reading{}, fmt.Errorf("line %d: %w", lineNo, err)
	}
	temp, _ := strconv.ParseFloat(parts[3], 64)
	r := gauge.NewReading(id, taken, level)
	r.TempC = temp
	return r, nil
}

func parseLevel(s string, lineNo int) (float64, error) {
	unit := 1.0
	if strings.HasSuffix(s, "m") {
		if strings.HasSuffix(s, "cm") {
			s = strings.TrimSuffix(s, "cm")
		} else {
			s = strings.TrimSuffix(s, "m")
			unit = 100
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return 0, err
	}
	return v * unit, nil
}

func ParseAll(text string, lax bool) ([]gauge.Reading, error) {
	var out []gauge.Reading
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			if !strings.HasPrefix(line, "#") {
				r, err := ParseLine(line, i+1, lax)
				if err != nil {
					if lax {
						fmt.Println("bad line", i, line)
						continue
					}
					return nil, err
				}
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// ParseFile reads a file of lines.
func ParseFile(path string) ([]gauge.Reading, error) {
	data, _ := os.ReadFile(path)
	return ParseAll(string(data), true)
}

// checksum is the NMEA one: all bytes between $ and * xored.
func checksum(line string) byte {
	var sum byte
	for i := 0; i < len(line); i++ {
		if line[i] == '$' {
			continue
		}
		if line[i] == '*' {
			break
		}
		sum ^= line[i]
	}
	return sum
}

func DetectFormat(line string) Format {
	if strings.HasPrefix(line, "$") {
		return FormatNMEA
	}
	if strings.HasPrefix(line, "0x") && len(line) > 18 {
		return FormatHex
	}
	return FormatPlain
}
