package window

import (
	"fmt"
	"os"
	"slices"
)

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

// withoutGPU keeps this program from loading graphics drivers that GPUNever does not use:
// without a graphics card that is Mesa with all of LLVM, before the page's process starts.
// (The page's process loads them anyway: this WebKit ends without EGL.)
var withoutGPU = [][2]string{
	{"GDK_GL", "disable"},                         // GTK: no search for a visual that OpenGL could draw on
	{"WEBKIT_DISABLE_DMABUF_RENDERER", "1"},       // WebKit: no search for buffers that a card could share
	{"WEBKIT_WEB_RENDER_DEVICE_FILE", os.DevNull}, // WebKit: no search for the card
}

// leaveGPU sets those that the user has not set.
func leaveGPU() {
	for _, v := range withoutGPU {
		if _, set := os.LookupEnv(v[0]); !set {
			_ = os.Setenv(v[0], v[1]) // fails only for invalid names
		}
	}
}

// outside removes them from the environment of other programs.
func outside(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return slices.ContainsFunc(withoutGPU, func(v [2]string) bool { return entry == v[0]+"="+v[1] })
	})
}
