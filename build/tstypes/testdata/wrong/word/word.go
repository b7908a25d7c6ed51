// want: "blue" is no Paint
package word

//ts:section all: House

type House struct {
	Paint Paint `json:"paint"`
}

type Paint string

const Red Paint = "red"

var _ = House{"blue"}
