package infer

import (
	"fmt"

	"waferpair/engine/gguf"
	"waferpair/engine/infer/kernel"
	"waferpair/engine/quant"
)

// TooLarge means that a model needs more memory than there is for it.
type TooLarge struct {
	Need, Have int64
	Of         string // whose memory it is: "the computer has left"
	Next       string // what helps, besides a smaller file
	Fits       string // the best quantisation of the model that would fit; "": none of the usual ones
	FitsBytes  int64  // of memory, with it
}

func (t *TooLarge) Error() string {
	s := fmt.Sprintf("it needs %s of memory, and %s %s: %s are missing", megabytes(t.Need), t.Of,
		megabytes(t.Have), megabytes(t.Need-t.Have))
	if t.Fits == "" {
		return s + "; no usual quantisation of it fits: choose a smaller model, or " + t.Next
	}
	return fmt.Sprintf("%s; as %s it would take about %s: get it so, or %s", s, t.Fits, megabytes(t.FitsBytes), t.Next)
}

// Fit returns a TooLarge if the weights of a file take more memory than there is. of says whose that is, next what
// helps.
func Fit(f *gguf.File, have int64, of, next string) error {
	p, err := planOf(f)
	if err != nil {
		return gguf.Failed("check model file", f.Path, err)
	}
	return gguf.Failed("load model file", f.Path, p.tooLarge(have, of, next))
}

// tooLarge is nil for what fits.
func (p *plan) tooLarge(have int64, of, next string) error {
	need := p.bytes()
	if need <= have {
		return nil
	}
	no := &TooLarge{Need: need, Have: have, Of: of, Next: next}
	for _, m := range mixtures {
		if n := p.bytesAs(m); n < need && n <= have {
			no.Fits, no.FitsBytes = m.name, n
			break
		}
	}
	return no
}

// mixture is how llama-quantize stores a model: most matrices as one type, the head as another one, and half of
// the values' and the feed-forward block's last matrices as a third.
type mixture struct {
	name              string
	most, ends, sides uint32
}

// mixtures are the usual ones, the best first.
var mixtures = []mixture{
	{"Q8_0", quant.Q8_0, quant.Q8_0, quant.Q8_0},
	{"Q6_K", quant.Q6_K, quant.Q6_K, quant.Q6_K},
	{"Q5_K_M", quant.Q5_K, quant.Q6_K, quant.Q6_K},
	{"Q4_K_M", quant.Q4_K, quant.Q6_K, quant.Q6_K},
}

// narrower are the types that llama-quantize takes where rows are no whole blocks of 256.
var narrower = map[uint32]uint32{quant.Q6_K: quant.Q8_0, quant.Q5_K: quant.Q5_1, quant.Q4_K: quant.Q5_0}

// bytesAs returns about how much memory the model would take in a mixture.
func (p *plan) bytesAs(m mixture) int64 {
	sum := int64(PassRoom)
	for _, s := range p.list {
		row := rowBytes(m.most, s.tensor.Sizes[0])
		switch name := s.which.Name; {
		case name == kernel.Head || name == kernel.Table && p.config.TieWordEmbeddings:
			row = rowBytes(m.ends, s.tensor.Sizes[0])
		case name == kernel.V || name == kernel.Down:
			row = (row + rowBytes(m.sides, s.tensor.Sizes[0])) / 2
		}
		sum += row * int64(s.rows)
	}
	return sum
}

// rowBytes returns the bytes of a row in a type, or the type that stands for it; what neither has stays float.
func rowBytes(kind uint32, cols int64) int64 {
	for {
		f, _ := quant.ByNumber(kind)
		if cols%int64(f.Numbers) == 0 {
			return cols / int64(f.Numbers) * int64(f.Bytes)
		}
		next, is := narrower[kind]
		if !is {
			next = quant.F16
		}
		kind = next
	}
}
