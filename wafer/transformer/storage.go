package transformer

import "waferpair/wafer/half"

// Storage is the format of numbers between two operations.
type Storage uint8

const (
	Float32 Storage = iota // on this computer
	Float16                // in a core of the wafer
)

// of rounds a number to the storage.
func (s Storage) of(v float64) float32 {
	if s == Float16 {
		return half.Round(float32(v))
	}
	return float32(v)
}

// all rounds numbers to the storage, in place.
func (s Storage) all(list []float32) []float32 {
	if s == Float16 {
		for i, v := range list {
			list[i] = half.Round(v)
		}
	}
	return list
}
