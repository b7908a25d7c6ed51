package tile

import "waferpair/wafer/fabric"

// Op is the operation of an instruction.
type Op uint8

// Vector operations: for i in 0..N-1. An operand may be in SRAM or, one number after the
// other, on the fabric (see Operand).
const (
	Mov    Op = iota // dst = a
	Add              // dst = a + b
	Sub              // dst = a - b
	Mul              // dst = a * b
	Max              // dst = max(a, b)
	MulAdd           // dst = a * b + dst; rounded once
	Scale            // dst = a * Imm
	Fill             // dst = Imm
	Exp              // dst = e^a
	Silu             // dst = a / (1 + e^-a)
	Recip            // dst = 1 / a
	RSqrt            // dst = 1 / sqrt(a * Imm + Eps)
	ArgMax           // pairs of value and index: dst = the one with the greater value, the lesser index of equal ones

	// Searches in SRAM.
	Top    // dst = the greatest of a's N numbers and its index plus Imm, the first of equal ones
	Gather // dst = row a[0]-Imm of b's K rows of N numbers, or zeros when it is none of them

	// Matrix operations, all operands in SRAM.
	GEMV // dst[n] += sum over k of a[k] * b[k,n]: a of K, b of K rows of N numbers, M apart (0: N)
	GEMM // dst[m,n] += sum over k of a[m,k] * b[k,n]: all by columns of M: a[k*M+m], b[k*N+n], dst[n*M+m]

	// Control of the core itself; they take no time.
	Wait       // until the microthreads of the set Imm are done
	Busy       // does nothing for Cycles
	Activate   // task Task may run
	Block      // task Task may not run
	Unblock    // task Task may run again
	Switch     // sends a control wavelet in Dst's color; takes a cycle
	Mark       // the following work is counted for kernel Task
	opsInTotal // not an operation
)

// where is the place of an operand.
type where uint8

const (
	none where = iota
	memory
	fabin
	fabout
	argument
)

// Operand is a vector of numbers: in SRAM with a stride, or received or sent in a color. It
// corresponds to the SDK's DSDs mem1d, fabin and fabout.
type Operand struct {
	where  where
	Kind   Kind
	Color  fabric.Color
	Addr   int32 // in words
	Stride int32 // in numbers; 0 repeats the same number
}

// In is a vector received from the fabric. A wavelet has two F16 or one F32.
func In(c fabric.Color, k Kind) Operand { return Operand{where: fabin, Color: c, Kind: k} }

// Out is a vector sent to the fabric.
func Out(c fabric.Color, k Kind) Operand { return Operand{where: fabout, Color: c, Kind: k} }

// Vec returns a buffer as a vector.
func (b Buffer) Vec() Operand {
	return Operand{where: memory, Kind: b.Kind, Addr: int32(b.Addr), Stride: 1}
}

// Strided returns every stride-th number of a buffer, beginning with number from.
func (b Buffer) Strided(from, stride int) Operand {
	return Operand{where: memory, Kind: b.Kind, Addr: int32(b.Addr + from*b.Kind.Words()), Stride: int32(stride)}
}

// Each returns one number of a buffer, repeated for all i.
func (b Buffer) Each(i int) Operand { return b.Strided(i, 0) }

// Arg is the data of the wavelet that activated a data task.
func Arg(k Kind) Operand { return Operand{where: argument, Kind: k} }

// Instr is an instruction of a core's program.
type Instr struct {
	Op      Op
	Thread  uint8 // 0: the program waits for its end; 1 to Threads: it runs beside the program, as that microthread
	Wide    bool  // two wavelets a cycle from and to the fabric (the SDK's simd_64)
	Task    uint8
	Then    uint8 // the end of the microthread activates task Then-1; 0 is none
	N, K, M int32
	Cycles  int32 // its duration if no operand is on the fabric
	Imm     float32
	Eps     float32
	Dst     Operand
	A, B    Operand
}

// Threads is how many microthreads a core has.
const Threads = 8

func (in *Instr) onFabric() bool {
	return in.Dst.where == fabout || in.A.where == fabin || in.B.where == fabin
}

var opNames = [opsInTotal]string{"mov", "add", "sub", "mul", "max", "mul-add", "scale", "fill", "exp",
	"silu", "reciprocal", "rsqrt", "argmax", "top", "gather", "gemv", "gemm", "wait", "busy", "activate", "block",
	"unblock", "switch", "mark"}

func (o Op) String() string { return opNames[o] }
