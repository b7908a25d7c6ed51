// want: T of this House must be "house"
package fixed

//ts:section all: House

type House struct {
	T string `json:"t" is:"house"`
}

var _ = House{}
