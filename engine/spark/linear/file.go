package linear

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// The file of a model: magic, checksum, then compressed: the header's length, the header as
// JSON, and both tables with their lengths. Weights are one byte each, times their scale.

const magic = "wp-linear-1\n"

var errDamaged = errors.New("the weights of the linear model are damaged")

// mostEntries bounds what a damaged length can ask for.
const mostEntries = 1 << 22

// Marshal packs a model.
func (m *Model) Marshal() ([]byte, error) {
	h := m.Header
	ops, slots := quantise(m.Ops, &h.OpScale), quantise(m.Slots, &h.SlotScale)
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("pack the linear model: %w", err)
	}
	var body bytes.Buffer
	z, err := gzip.NewWriterLevel(&body, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("pack the linear model: %w", err)
	}
	for _, part := range [][]byte{head, ops, slots} {
		err = errors.Join(err, binary.Write(z, binary.LittleEndian, uint32(len(part))))
		_, e := z.Write(part)
		err = errors.Join(err, e)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		return nil, fmt.Errorf("pack the linear model: %w", err)
	}
	out := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[len(magic):], crc32.ChecksumIEEE(body.Bytes()))
	return append(out, body.Bytes()...), nil
}

// quantise rounds weights to bytes; the largest becomes 127.
func quantise(weights []float32, scale *float32) []byte {
	most := float32(0)
	for _, w := range weights {
		most = max(most, w, -w)
	}
	*scale = most / 127
	out := make([]byte, len(weights))
	for i, w := range weights {
		if most > 0 {
			out[i] = byte(int8(math.Round(float64(w / *scale))))
		}
	}
	return out
}

// Unmarshal unpacks a model, or says that it is damaged.
func Unmarshal(file []byte) (*Model, error) {
	if len(file) < len(magic)+4 || string(file[:len(magic)]) != magic {
		return nil, errDamaged
	}
	sum, body := binary.LittleEndian.Uint32(file[len(magic):]), file[len(magic)+4:]
	if crc32.ChecksumIEEE(body) != sum {
		return nil, errDamaged
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	var parts [3][]byte
	for i := range parts {
		if parts[i], err = readPart(z); err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	m := &Model{}
	if err := json.Unmarshal(parts[0], &m.Header); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	m.Ops, m.Slots = weights(parts[1], m.OpScale), weights(parts[2], m.SlotScale)
	if !powerOfTwo(len(m.Ops)) || !powerOfTwo(len(m.Slots)) || len(m.Classes) == 0 {
		return nil, errDamaged
	}
	return m, nil
}

func readPart(r io.Reader) ([]byte, error) {
	var n uint32
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	if n > mostEntries {
		return nil, fmt.Errorf("a part of %d bytes", n)
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	return b, err
}

func weights(b []byte, scale float32) []float32 {
	out := make([]float32, len(b))
	for i, v := range b {
		out[i] = float32(int8(v)) * scale
	}
	return out
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }
