package wafer

import (
	"waferpair/wafer/kernel"
)

// Use is how much of the machines works, and their power. Published energy ratios of WSE-2
// come out exactly with its full power for the whole time, so power does not depend on use
// here.
type Use struct {
	Watts          float64 `json:"watts"`            // all wafers
	JoulesPrompt   float64 `json:"joules_prompt"`    // until the first token
	JoulesFull     float64 `json:"joules_full"`      // per token, if every region works on a request
	Cores          float64 `json:"core_utilisation"` // multiply-adds done, of those possible; one request
	Links          float64 `json:"link_utilisation"` // wavelet-hops done, of those possible; one request
	CoresFull      float64 `json:"core_utilisation_full"`
	LinksFull      float64 `json:"link_utilisation_full"`
	CoresBusy      float64 `json:"cores_with_work"` // of the wafers' cores: those in regions
	Compute        float64 `json:"compute_fraction"`
	Communication  float64 `json:"communication_fraction"`
	LaunchFraction float64 `json:"launch_fraction"`
}

// RegionTime is the time of a token in a region.
type RegionTime struct {
	Region
	Cycles   float64 `json:"cycles"`    // of a token
	Busy     float64 `json:"busy"`      // part of the time of a token of one request
	BusyFull float64 `json:"busy_full"` // the same if every region works on a request
}

func (r *Report) energy(m Machine) {
	watts := m.Watts * float64(r.Wafers)
	r.JoulesPerToken = watts / r.DecodeTokS
	for i := range r.Token {
		r.Token[i].Joules = r.JoulesPerToken * r.Token[i].Fraction
	}
	for i := range r.Prompt {
		r.Prompt[i].Joules = watts * r.TTFTms / 1e3 * r.Prompt[i].Fraction
	}
	r.Use.Watts = watts
}

// use returns the utilisation over the cycles of a token, alone and in a full pipeline.
func use(m Machine, p Placement, token []Share, alone, stage float64) Use {
	cores := float64(m.Cores() * p.Wafers)
	u := Use{Watts: m.Watts * float64(p.Wafers)}
	var macs, hops, cycles float64
	for _, k := range token {
		macs, hops, cycles = macs+k.MACs, hops+k.Hops, cycles+k.Cycles
		u.Compute += k.Compute
		u.Communication += k.Communication
		u.LaunchFraction += k.Launch
	}
	u.Compute, u.Communication, u.LaunchFraction = u.Compute/cycles, u.Communication/cycles, u.LaunchFraction/cycles
	peak := cores * float64(m.SIMD) / float64(m.IssueCycles) // multiply-adds a cycle
	links := cores * 4                                       // one wavelet a cycle to each neighbour
	u.Cores, u.CoresFull = macs/(peak*alone), macs/(peak*stage)
	u.Links, u.LinksFull = hops/(links*alone), hops/(links*stage)
	for _, r := range p.Regions {
		u.CoresBusy += float64(r.P*r.P) / cores
	}
	return u
}

// regionTimes returns the time of a token in each region, including the transfer to the
// next.
func (s *search) regionTimes(c candidate, p Placement, layer []Cost) []RegionTime {
	hand, head := s.hand(c).Cycles(), s.headCost(c).Cycles()
	var list []RegionTime
	for _, r := range p.Regions {
		t := float64(r.Layers) * kernel.Total(layer)
		switch r.Kind {
		case HeadRegion:
			t = head // its slices work at the same time
		case WholeRegion:
			t += head + s.firstCost(c).Cycles()
		default:
			t += hand
		}
		list = append(list, RegionTime{Region: r, Cycles: t, Busy: t / c.token, BusyFull: t / c.stage})
	}
	return list
}
