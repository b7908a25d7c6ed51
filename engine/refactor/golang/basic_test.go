package golang

import (
	"testing"

	"waferpair/engine/refactor"
)

func file(f string) refactor.Target { return refactor.Target{File: f} }

func TestImports(t *testing.T) {
	const block = "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\t\"example.com/m/q\"\n)\n\nvar _ = fmt.Sprint(os.Args, q.Q, strings.ToUpper(\"\"), r.R)\n-- q/q.go --\npackage q\n\nvar Q int\n-- r/r.go --\npackage r\n\nvar R int\n"
	runCases(t, []opCase{
		{
			name: "add to a group", op: op("add-import", "path", "strings"), target: file("p/a.go"), in: block,
			want: "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n\n\t\"example.com/m/q\"\n)\n\nvar _ = fmt.Sprint(os.Args, q.Q, strings.ToUpper(\"\"), r.R)\n",
		},
		{
			name: "add to the module's group", op: op("add-import", "path", "example.com/m/r"),
			target: file("p/a.go"), in: block,
			want: "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\t\"example.com/m/q\"\n\t\"example.com/m/r\"\n)\n\nvar _ = fmt.Sprint(os.Args, q.Q, strings.ToUpper(\"\"), r.R)\n",
		},
		{
			name: "first import", op: op("add-import", "path", "os"), target: file("p/a.go"),
			in:   "-- p/a.go --\npackage p\n\nvar _ = os.Args\n",
			want: "-- p/a.go --\npackage p\n\nimport \"os\"\n\nvar _ = os.Args\n",
		},
		{
			name: "second import, CRLF", op: op("add-import", "path", "fmt"), target: file("p/a.go"),
			in:   "-- p/a.go --\npackage p\r\n\r\nimport \"os\" // os\r\n\r\nvar _ = fmt.Sprint(os.Args)\r\n",
			want: "-- p/a.go --\npackage p\r\n\r\nimport (\r\n\t\"fmt\"\r\n\t\"os\" // os\r\n)\r\n\r\nvar _ = fmt.Sprint(os.Args)\r\n",
		},
		{
			name: "for effects", op: op("add-import", "path", "embed", "alias", "_"), target: file("p/a.go"),
			in:   "-- p/a.go --\npackage p\n",
			want: "-- p/a.go --\npackage p\n\nimport _ \"embed\"\n",
		},
		{name: "not used", op: op("add-import", "path", "os"), target: file("p/a.go"), in: "-- p/a.go --\npackage p\n",
			declined: "nothing in p/a.go uses os"},
		{name: "not there", op: op("add-import", "path", "no/such"), target: file("p/a.go"),
			in: "-- p/a.go --\npackage p\n\nvar _ = such.X\n", declined: "could not import no/such"},
		{name: "there already", op: op("add-import", "path", "os"), target: file("p/a.go"),
			in: "-- p/a.go --\npackage p\n\nimport \"os\"\n", declined: "already"},
		{
			name: "remove unused", op: op("remove-imports"), target: file("p/a.go"),
			in:   "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t_ \"embed\"\n\tx \"os\"\n\n\t// strings is nice\n\t\"strings\" // very\n)\n\nvar _ = fmt.Sprint()\n",
			want: "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t_ \"embed\"\n)\n\nvar _ = fmt.Sprint()\n",
		},
		{
			name: "remove the only one", op: op("remove-imports", "path", "os"),
			in:   "-- p/a.go --\npackage p\n\nimport \"os\"\n\nvar A = 1\n",
			want: "-- p/a.go --\npackage p\n\nvar A = 1\n",
		},
		{
			name: "remove all of a group", op: op("remove-imports"),
			in:   "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nvar A = 1\n",
			want: "-- p/a.go --\npackage p\n\nvar A = 1\n",
		},
		{name: "remove a used one", op: op("remove-imports", "path", "os"), target: file("p/a.go"),
			in: "-- p/a.go --\npackage p\n\nimport \"os\"\n\nvar _ = os.Args\n", declined: "in use"},
		{name: "none unused", op: op("remove-imports"), in: "-- p/a.go --\npackage p\n\nimport \"os\"\n\nvar _ = os.Args\n",
			declined: "no unused"},
		{
			name: "sort and group", op: op("sort-imports"), target: file("p/a.go"),
			in:   "-- p/a.go --\npackage p\n\nimport (\n\t\"example.com/m/q\"\n\t// os\n\t\"os\"\n\t\"fmt\" // fmt\n)\n\nvar _ = fmt.Sprint(os.Args, q.Q)\n-- q/q.go --\npackage q\n\nvar Q int\n",
			want: "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\" // fmt\n\t// os\n\t\"os\"\n\n\t\"example.com/m/q\"\n)\n\nvar _ = fmt.Sprint(os.Args, q.Q)\n",
		},
		{name: "sorted", op: op("sort-imports"), target: file("p/a.go"), in: block, declined: "sorted"},
	})
}

func TestSetConstant(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "const in a group", op: op("set-constant", "name", "MaxRetries", "value", "10"),
			in:   "-- p/a.go --\npackage p\n\nconst (\n\tMaxRetries = 5 // tries\n\tOther      = \"x\"\n)\n",
			want: "-- p/a.go --\npackage p\n\nconst (\n\tMaxRetries = 10 // tries\n\tOther      = \"x\"\n)\n",
		},
		{
			name: "var with import", op: op("set-constant", "name", "Wait", "value", "3*time.Second"),
			in:   "-- p/a.go --\npackage p\n\nvar Wait = limit\n\nconst limit = 5\n-- p/b.go --\npackage p\n\nimport \"time\"\n\nvar _ = time.Now\n",
			want: "-- p/a.go --\npackage p\n\nimport \"time\"\n\nvar Wait = 3 * time.Second\n\nconst limit = 5\n",
		},
		{name: "kind", op: op("set-constant", "name", "N", "value", `"x"`), in: "-- p/a.go --\npackage p\n\nconst N = 1\n",
			declined: "untyped int"},
		{name: "type", op: op("set-constant", "name", "N", "value", "-1"),
			in: "-- p/a.go --\npackage p\n\nconst N uint = 1\n", declined: "overflows"},
		{name: "other package breaks", op: op("set-constant", "name", "N", "value", "300"), in: "-- p/a.go --\npackage p\n\nconst N = 1\n-- q/q.go --\npackage q\n\nimport \"example.com/m/p\"\n\nvar B byte = p.N\n", declined: "q/q.go:5"},
		{name: "iota", op: op("set-constant", "name", "B", "value", "7"),
			in: "-- p/a.go --\npackage p\n\nconst (\n\tA = iota\n\tB\n)\n", declined: "repeats"},
		{name: "repeated", op: op("set-constant", "name", "A", "value", "7"),
			in: "-- p/a.go --\npackage p\n\nconst (\n\tA = 1\n\tB\n)\n", declined: "repeat its value"},
		{name: "unquoted", op: op("set-constant", "name", "S", "value", "hello world"),
			in: "-- p/a.go --\npackage p\n\nconst S = \"x\"\n", declined: `nearest: "hello world"`},
		{name: "per system", op: op("set-constant", "name", "S", "value", "2"),
			in:       "-- p/a_linux.go --\npackage p\n\nconst S = 1\n-- p/a_windows.go --\npackage p\n\nconst S = 1\n",
			declined: "2 declarations"},
	})
}
