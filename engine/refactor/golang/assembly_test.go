package golang

import (
	"strings"
	"testing"
)

func TestRenameKnownToAssembly(t *testing.T) {
	const in = `
-- a.go --
package m

const Limit = 8

type Ctx struct{ count, other int }

type Ctxt struct{}

func sum(c *Ctx, values []byte, base int) (total int)

func plain(values []byte) int { c := Ctx{}; return len(values) + Limit + c.count + c.other }
-- a_amd64.s --
#include "go_asm.h"

TEXT ·sum(SB), $0-48
	MOVQ c+0(FP), AX
	MOVQ values_base+8(FP), BX
	MOVQ Ctx_count(AX), CX
	CMPQ CX, $const_Limit
	MOVQ CX, total+40(FP)
	RET
`
	_, assembly, _ := strings.Cut(in, "-- a_amd64.s --\n")
	cases := []opCase{}
	for _, symbol := range []string{"sum", "sum.c", "sum.values", "sum.total", "Ctx.count", "Ctx", "Limit"} {
		cases = append(cases, opCase{name: symbol, op: op("rename", "symbol", symbol, "to", "zq"), in: in,
			declined: "which is assembly"})
	}
	cases = append(cases, opCase{
		name: "what it does not mention",
		op:   op("rename", "symbol", "sum.base", "to", "zq"),
		in:   in,
		want: `
-- a.go --
package m

const Limit = 8

type Ctx struct{ count, other int }

type Ctxt struct{}

func sum(c *Ctx, values []byte, zq int) (total int)

func plain(values []byte) int { c := Ctx{}; return len(values) + Limit + c.count + c.other }
-- a_amd64.s --
` + assembly,
	})
	for place, reason := range map[string]string{
		"other/a_amd64.s": "", "other/b_amd64.s": "which is assembly",
	} {
		text := "TEXT ·plain(SB), $0-0\n\tRET\n"
		if reason != "" {
			text = "TEXT ·f(SB), $0-0\n\tCALL example.com∕m·plain(SB)\n"
		}
		c := opCase{name: place, op: op("rename", "symbol", "plain", "to", "zq"), in: in + "-- " + place + " --\n" + text,
			declined: reason}
		c.want = strings.ReplaceAll(in, "func plain", "func zq") + "-- " + place + " --\n" + text
		cases = append(cases, c)
	}
	runCases(t, cases)
}
