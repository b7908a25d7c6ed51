// want: self.go:9:2: time.Time writes itself
package self

import "time"

//ts:section all: House

type House struct {
	Built time.Time `json:"built"`
}
