package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// cursor reads the front of a file and buffers it, because arrays refer to it. The buffer
// is never larger than the file, so a false length does no harm.
type cursor struct {
	from   io.ReaderAt
	size   int64 // of the file
	buffer []byte
	at     int64
}

const (
	step     = 1 << 20 // bytes read at once
	maxFront = 1 << 28 // limit of the bytes before the data; a vocabulary of 256,000 takes 12 million
)

var errEnds = errors.New("the file ends there: it is incomplete, or its lengths are wrong; download it again")

// next returns the next n bytes. They are valid until the next call.
func (c *cursor) next(n int64) ([]byte, error) {
	if n < 0 || n > c.size-c.at {
		return nil, fmt.Errorf("at byte %d: %d bytes are said to follow, and %d do: %w", c.at, uint64(n),
			c.size-c.at, errEnds)
	}
	if c.at+n > maxFront {
		return nil,
			fmt.Errorf("at byte %d: what comes before the tensors' data is longer than %d bytes, which no model needs", c.at,
				maxFront)
	}
	if err := c.fill(c.at + n); err != nil {
		return nil, err
	}
	part := c.buffer[c.at : c.at+n]
	c.at += n
	return part, nil
}

// fill reads until the first n bytes are buffered.
func (c *cursor) fill(n int64) error {
	have := int64(len(c.buffer))
	if n <= have {
		return nil
	}
	more := min(max(n-have, step, have), c.size-have) // doubles the buffer, so that each byte is copied once on average
	c.buffer = append(c.buffer, make([]byte, more)...)
	got, err := c.from.ReadAt(c.buffer[have:], have)
	if int64(got) < more {
		return fmt.Errorf("read at byte %d: %w", have+int64(got), shortOr(err))
	}
	return nil
}

func shortOr(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file became shorter while it was read")
	}
	return err
}

func (c *cursor) uint32() (uint32, error) {
	b, err := c.next(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (c *cursor) uint64() (uint64, error) {
	b, err := c.next(8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// count reads a length, or a number of elements of at least so many bytes each.
func (c *cursor) count(what string, least int64) (int64, error) {
	n, err := c.uint64()
	if err != nil {
		return 0, err
	}
	if left := c.size - c.at; n > uint64(left/least) {
		return 0, fmt.Errorf("at byte %d: it is said to have %d %s, for which the %d bytes that follow have no room: %w",
			c.at-8, n, what, left, errEnds)
	}
	return int64(n), nil
}

func (c *cursor) text() (string, error) {
	n, err := c.count("bytes of text", 1)
	if err != nil {
		return "", err
	}
	b, err := c.next(n)
	return string(b), err
}
