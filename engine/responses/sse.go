package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// MaxEvent is the largest event in bytes.
const MaxEvent = 16 << 20

// ErrTooLarge means that an event is longer than MaxEvent.
var ErrTooLarge = errors.New("an event is larger than 16 MB")

// SSE parses server-sent events by push: chunks in, the data of events out. The zero value
// is the beginning of a stream.
//
// Lines end with LF, CR or CRLF; comments and fields other than data, event and error are skipped;
// a chunk may end anywhere.
type SSE struct {
	line  []byte // the beginning of a line whose end has not come
	data  []byte // of the event, when it has several lines or its end has not come
	event []byte
	lines int  // of data
	cr    bool // the last byte was CR: an LF belongs to it
	began bool
}

// Push parses a chunk and calls event for each event in it. name is its type, or "". data
// is valid during the call only.
func (s *SSE) Push(chunk []byte, event func(name string, data []byte) error) error {
	for len(chunk) > 0 {
		if s.cr {
			s.cr = false
			if chunk[0] == '\n' {
				chunk = chunk[1:]
				continue
			}
		}
		n := lineEnd(chunk)
		if n < 0 {
			if len(s.line)+len(chunk) > MaxEvent {
				return ErrTooLarge
			}
			s.line = append(s.line, chunk...)
			return nil
		}
		line := chunk[:n]
		s.cr = chunk[n] == '\r'
		chunk = chunk[n+1:]
		if len(s.line) > 0 {
			s.line = append(s.line, line...)
			line = s.line
		}
		err := s.take(line, event)
		s.line = s.line[:0]
		if err != nil {
			return err
		}
	}
	return nil
}

// lineEnd returns the index of the first LF or CR, or -1. Almost every stream has LF alone,
// so the search for CR looks no further than that.
func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	until := b
	if n >= 0 {
		until = b[:n]
	}
	if cr := bytes.IndexByte(until, '\r'); cr >= 0 {
		return cr
	}
	return n
}

// take handles a line without its end.
func (s *SSE) take(line []byte, event func(name string, data []byte) error) error {
	if !s.began {
		s.began = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) == 0 {
		return s.dispatch(event)
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "error": // llama.cpp's, instead of data
		s.event = append(s.event[:0], field...)
		fallthrough
	case "data":
		if len(s.data)+len(value) > MaxEvent {
			return ErrTooLarge
		}
		if s.lines++; s.lines > 1 {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
	case "event":
		s.event = append(s.event[:0], value[:min(len(value), 256)]...)
	}
	return nil
}

func (s *SSE) dispatch(event func(name string, data []byte) error) error {
	if s.lines == 0 {
		s.event = s.event[:0]
		return nil
	}
	err := event(string(s.event), s.data)
	s.lines, s.data, s.event = 0, s.data[:0], s.event[:0]
	if cap(s.data) > 1<<20 {
		s.data = nil // one large event does not hold its memory for the rest of the stream
	}
	return err
}

// Close ends the stream. An event whose last line or blank line is missing is handed out if
// it is complete JSON; otherwise it is an error: the stream was cut.
func (s *SSE) Close(event func(name string, data []byte) error) error {
	if len(s.line) > 0 {
		if err := s.take(s.line, event); err != nil {
			return err
		}
		s.line = nil
	}
	if s.lines == 0 {
		return nil
	}
	if !json.Valid(s.data) && string(bytes.TrimSpace(s.data)) != "[DONE]" {
		return fmt.Errorf("the stream ended within an event, after %d bytes of it", len(s.data))
	}
	return s.dispatch(event)
}
