package window

import "fmt"

// GPU is when WebKit may use the graphics card. The zero value is never: with
// software rendering, which WebKit does not recognise, the other two need
// 45-55 ms a frame where never needs 16.
type GPU int

const (
	GPUNever GPU = iota
	GPUAlways
	GPUOnDemand
)

// GPUVariable is the environment variable that chooses the policy.
const GPUVariable = "WAFERPAIR_GPU"

// ParseGPU reads the value of GPUVariable.
func ParseGPU(s string) (GPU, error) {
	switch s {
	case "", "never":
		return GPUNever, nil
	case "always":
		return GPUAlways, nil
	case "ondemand":
		return GPUOnDemand, nil
	}
	return GPUNever, fmt.Errorf("%s=%q is not known; use never, ondemand or always", GPUVariable, s)
}
