package wafer

import "fmt"

// ColorUse is the number of colors that a kernel's routes need in a core.
type ColorUse struct {
	Kernel   string `json:"kernel"`
	Colors   int    `json:"colors"`
	Reroutes int    `json:"reroutes,omitempty"` // of a layer: route reconfigurations at run time
}

// From WaferLLM's code: decode with static routes, decode that reconfigures its trees six
// times a layer, MeshGEMM, and the launch of kernels with memory copies.
const (
	staticDecodeColors = 20
	reroutedColors     = 5
	reroutesOfLayer    = 6
	gemmColors         = 12
	launchColors       = 1
	handColors         = 2 // from the previous region, to the next one
)

// colors returns what a core's resident kernels need.
func colors(r Request, a Assumptions, regions int) []ColorUse {
	decode := ColorUse{Kernel: "decode", Colors: staticDecodeColors}
	if !a.StaticColors && r.Machine.Timing.Reconfigure > 0 {
		decode.Colors, decode.Reroutes = reroutedColors, reroutesOfLayer
	}
	list := []ColorUse{decode, {Kernel: "launch", Colors: launchColors}}
	if regions > 1 {
		list = append(list, ColorUse{Kernel: "hand on", Colors: handColors})
	}
	if r.BothPhases {
		list = append(list, ColorUse{Kernel: "MeshGEMM", Colors: gemmColors})
	}
	return list
}

func countColors(uses []ColorUse) int {
	n := 0
	for _, u := range uses {
		n += u.Colors
	}
	return n
}

// checkColors refuses kernels whose routes do not fit beside each other.
func checkColors(r Request, a Assumptions, uses []ColorUse) error {
	n := countColors(uses)
	if n <= r.Machine.Colors {
		return nil
	}
	refusal := &Refusal{Kind: TooManyColors, Colors: n, Reason: fmt.Sprintf("%d colors of %d", n, r.Machine.Colors)}
	for i, u := range uses {
		refusal.Reason += fmt.Sprintf("%s%s %d", [...]string{": ", ", "}[min(i, 1)], u.Kernel, u.Colors)
	}
	switch {
	case r.BothPhases && n-gemmColors <= r.Machine.Colors:
		refusal.Nearest = fmt.Sprintf("route reconfiguration between prefill and decode, with %d colors", n-gemmColors)
	case a.StaticColors && r.Machine.Timing.Reconfigure > 0 && n-staticDecodeColors+reroutedColors <= r.Machine.Colors:
		refusal.Nearest = fmt.Sprintf("route reconfiguration in each decode layer, with %d colors",
			n-staticDecodeColors+reroutedColors)
	}
	return refusal
}
