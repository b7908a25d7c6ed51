package tile

import (
	"math"

	"waferpair/wafer/fabric"
)

// sram is the memory of one core, in 16-bit words.
type sram []uint16

func (s sram) load(o *Operand, i int) float32 {
	if o.Kind == F16 {
		return halves[s[int(o.Addr)+i*int(o.Stride)]]
	}
	at := int(o.Addr) + 2*i*int(o.Stride)
	return math.Float32frombits(uint32(s[at]) | uint32(s[at+1])<<16)
}

func (s sram) store(o *Operand, i int, v float32) {
	if o.Kind == F16 {
		s[int(o.Addr)+i*int(o.Stride)] = ToHalf(v)
		return
	}
	at := int(o.Addr) + 2*i*int(o.Stride)
	b := math.Float32bits(v)
	s[at], s[at+1] = uint16(b), uint16(b>>16)
}

// scalar computes an elementwise operation. It computes in fp32, and the result is rounded
// when it is stored; sums and products of two halves come out as if rounded once.
func (in *Instr) scalar(a, b float32) float32 {
	switch in.Op {
	case Mov:
		return a
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul:
		return a * b
	case Max:
		return max(a, b)
	case Scale:
		return a * in.Imm
	case Fill:
		return in.Imm
	case Exp:
		return float32(math.Exp(float64(a)))
	case Silu:
		return float32(float64(a) / (1 + math.Exp(-float64(a))))
	case Recip:
		return 1 / a
	case RSqrt:
		return float32(1 / math.Sqrt(float64(a)*float64(in.Imm)+float64(in.Eps)))
	}
	panic("tile: " + in.Op.String() + " is not an elementwise operation")
}

// run carries out an instruction whose operands are all in SRAM.
func (s sram) run(in *Instr, arg fabric.Wavelet) {
	switch in.Op {
	case GEMV:
		s.gemv(in)
	case GEMM:
		s.gemm(in)
	case Top:
		s.top(in)
	case Gather:
		s.gather(in)
	case ArgMax:
		for i := 0; i < int(in.N); i += 2 {
			s.greater(in, i, s.load(&in.A, i), s.load(&in.A, i+1), s.load(&in.B, i), s.load(&in.B, i+1))
		}
	default:
		if in.Op == Mov && in.A.where == none && in.Dst.Stride == 1 {
			at := int(in.Dst.Addr)
			clear(s[at : at+int(in.N)*in.Dst.Kind.Words()])
			return
		}
		for i := range int(in.N) {
			s.element(in, i, s.operand(&in.A, i, arg), s.operand(&in.B, i, arg))
		}
	}
}

func (s sram) operand(o *Operand, i int, arg fabric.Wavelet) float32 {
	switch o.where {
	case memory:
		return s.load(o, i)
	case argument:
		return unpack(arg.Data, o.Kind, i&1)
	}
	return 0
}

func (s sram) element(in *Instr, i int, a, b float32) {
	if in.Op == MulAdd {
		s.store(&in.Dst, i, float32(float64(a)*float64(b)+float64(s.load(&in.Dst, i))))
		return
	}
	s.store(&in.Dst, i, in.scalar(a, b))
}

func (s sram) greater(in *Instr, i int, av, ai, bv, bi float32) {
	if bv > av || bv == av && bi < ai {
		av, ai = bv, bi
	}
	s.store(&in.Dst, i, av)
	s.store(&in.Dst, i+1, ai)
}

// top finds the greatest number. A NaN counts as greater than all numbers, so that it is
// not hidden.
func (s sram) top(in *Instr) {
	best, at := s.load(&in.A, 0), 0
	for i := 1; i < int(in.N); i++ {
		if v := s.load(&in.A, i); v > best || v != v && best == best {
			best, at = v, i
		}
	}
	s.store(&in.Dst, 0, best)
	s.store(&in.Dst, 1, float32(at)+in.Imm)
}

func (s sram) gather(in *Instr) {
	row := int(s.load(&in.A, 0)) - int(in.Imm)
	for i := range int(in.N) {
		v := float32(0)
		if row >= 0 && row < int(in.K) {
			v = s.load(&in.B, row*int(in.N)+i)
		}
		s.store(&in.Dst, i, v)
	}
}

// gemv does K vector operations dst += a[k] * row k. An fp16 dst is rounded after each of
// them, as in the multiply-add unit; an fp32 dst in fp32.
func (s sram) gemv(in *Instr) {
	n, apart := int(in.N), int(in.M)
	if apart == 0 {
		apart = n
	}
	done := 0
	if in.Dst.Kind == F32 && in.K > 0 {
		for ; done+4 <= n; done += 4 {
			s.dot4(in, done, apart)
		}
	}
	for k := range int(in.K) {
		x := s.load(&in.A, k)
		row := s[int(in.B.Addr)+k*apart:][done:n]
		dst := in.Dst
		dst.Addr += int32(done * dst.Kind.Words())
		s.axpy(dst, x, row)
	}
}

// dot4 computes four fp32 numbers of dst, from number i on, keeping them in registers: the
// same sums in the same order.
func (s sram) dot4(in *Instr, i, apart int) {
	acc := s[int(in.Dst.Addr)+2*i:][:8]
	sum := func(j int) float32 { return math.Float32frombits(uint32(acc[2*j]) | uint32(acc[2*j+1])<<16) }
	s0, s1, s2, s3 := sum(0), sum(1), sum(2), sum(3)
	rows, a, values := s[int(in.B.Addr)+i:], s.cursor(&in.A), halves
	for k := range int(in.K) {
		x, row := a.next(s), rows[k*apart:][:4]
		s0 += float32(x * values[row[0]]) // not fused, on any computer
		s1 += float32(x * values[row[1]])
		s2 += float32(x * values[row[2]])
		s3 += float32(x * values[row[3]])
	}
	for j, v := range [4]float32{s0, s1, s2, s3} {
		b := math.Float32bits(v)
		acc[2*j], acc[2*j+1] = uint16(b), uint16(b>>16)
	}
}

// axpy computes dst += x * row.
func (s sram) axpy(dst Operand, x float32, row []uint16) {
	at := int(dst.Addr)
	if dst.Kind == F16 {
		for i, w := range row {
			s[at+i] = ToHalf(float32(float64(x)*float64(halves[w]) + float64(halves[s[at+i]])))
		}
		return
	}
	acc := s[at : at+2*len(row)]
	for i, w := range row {
		// not fused, on any computer
		sum := math.Float32frombits(uint32(acc[2*i])|uint32(acc[2*i+1])<<16) + float32(x*halves[w])
		b := math.Float32bits(sum)
		acc[2*i], acc[2*i+1] = uint16(b), uint16(b>>16)
	}
}

// gemm does K*N vector operations: column n of dst += b[k,n] * column k of a.
func (s sram) gemm(in *Instr) {
	m, n := int(in.M), int(in.N)
	for k := range int(in.K) {
		column := s[int(in.A.Addr)+k*m : int(in.A.Addr)+k*m+m]
		for j := range n {
			dst := in.Dst
			dst.Addr += int32(j * m * dst.Kind.Words())
			s.axpy(dst, halves[s[int(in.B.Addr)+k*n+j]], column)
		}
	}
}

// unpack returns number i of a wavelet: one of two F16, or the single F32.
func unpack(data uint32, k Kind, i int) float32 {
	if k == F32 {
		return math.Float32frombits(data)
	}
	return halves[uint16(data>>(16*i))]
}

func pack(data uint32, k Kind, i int, v float32) uint32 {
	if k == F32 {
		return math.Float32bits(v)
	}
	return data | uint32(ToHalf(v))<<(16*i)
}
