package golang

import "testing"

func TestAddField(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "aligned, with import", op: op("add-field", "type", "Config", "name", "Timeout", "fieldtype", "time.Duration"),
			in:   "-- p/a.go --\npackage p\n\ntype Config struct {\n\tA int // a\n\tB string\n}\n",
			want: "-- p/a.go --\npackage p\n\nimport \"time\"\n\ntype Config struct {\n\tA       int // a\n\tB       string\n\tTimeout time.Duration\n}\n",
		},
		{
			name: "formatted input stays formatted", op: op("add-field", "type", "Config", "name", "LongName",
				"fieldtype", "[]string"),
			in:   "-- p/a.go --\npackage p\r\n\r\ntype Config struct {\r\n\tA int    // a\r\n\tB string // b\r\n}\r\n",
			want: "-- p/a.go --\npackage p\r\n\r\ntype Config struct {\r\n\tA        int    // a\r\n\tB        string // b\r\n\tLongName []string\r\n}\r\n",
		},
		{
			name: "one line and empty", op: op("add-field", "type", "T", "name", "B", "fieldtype", "int"),
			in:   "-- p/a.go --\npackage p\n\ntype T struct{ A int }\n\ntype U struct{}\n",
			want: "-- p/a.go --\npackage p\n\ntype T struct {\n\tA int\n\tB int\n}\n\ntype U struct{}\n",
		},
		{
			name: "empty", op: op("add-field", "type", "U", "name", "B", "fieldtype", "int"),
			in:   "-- p/a.go --\npackage p\n\ntype U struct{}\n",
			want: "-- p/a.go --\npackage p\n\ntype U struct {\n\tB int\n}\n",
		},
		{
			name: "interface", op: op("add-field", "type", "I", "name", "M", "fieldtype", "(x int) error"),
			in:   "-- p/a.go --\npackage p\n\ntype I interface {\n\tN()\n}\n",
			want: "-- p/a.go --\npackage p\n\ntype I interface {\n\tN()\n\tM(x int) error\n}\n",
		},
		{name: "unkeyed literal", op: op("add-field", "type", "T", "name", "B", "fieldtype", "int"), in: "-- p/a.go --\npackage p\n\ntype T struct{ A int }\n-- q/q.go --\npackage q\n\nimport \"example.com/m/p\"\n\nvar x = p.T{1}\n",
			declined: "q/q.go:5"},
		{name: "taken through embedding", op: op("add-field", "type", "T", "name", "B", "fieldtype", "int"),
			in: "-- p/a.go --\npackage p\n\ntype E struct{ B int }\n\ntype T struct{ E }\n", declined: "already (p/a.go:3)"},
		{name: "hides a deeper field", op: op("add-field", "type", "M", "name", "B", "fieldtype", "int"), in: "-- p/a.go --\npackage p\n\ntype E struct{ B int }\n\ntype F struct{ E }\n\ntype M struct{}\n\ntype T struct {\n\tF\n\tM\n}\n\nfunc f(t T) int { return t.B }\n",
			declined: "would mean something else"},
		{name: "implementer breaks", op: op("add-field", "type", "I", "name", "M", "fieldtype", "()"),
			in: "-- p/a.go --\npackage p\n\ntype I interface{}\n\nvar x I = 1\n", declined: "missing method M"},
	})
}

func TestJSONTags(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "snake", op: op("json-tags", "type", "Config"), note: "own names",
			in:   "-- p/a.go --\npackage p\n\ntype Config struct {\n\tUserID int // id\n\tName   string `yaml:\"n\"`\n\tHTTPServer string\n\tDone bool `json:\"-\"`\n\tprivate int\n}\n",
			want: "-- p/a.go --\npackage p\n\ntype Config struct {\n\tUserID int `json:\"user_id\"` // id\n\tName   string `yaml:\"n\" json:\"name\"`\n\tHTTPServer string `json:\"http_server\"`\n\tDone bool `json:\"-\"`\n\tprivate int\n}\n",
		},
		{
			name: "camel, formatted", op: op("json-tags", "type", "C", "style", "camel"),
			in:   "-- p/a.go --\npackage p\n\ntype C struct {\n\tUserID int\n\tName   string\n}\n",
			want: "-- p/a.go --\npackage p\n\ntype C struct {\n\tUserID int    `json:\"userId\"`\n\tName   string `json:\"name\"`\n}\n",
		},
		{name: "none left", op: op("json-tags", "type", "C"),
			in: "-- p/a.go --\npackage p\n\ntype C struct {\n\tA int `json:\"a\"`\n}\n", declined: "every exported field"},
		{name: "shared line", op: op("json-tags", "type", "C"), in: "-- p/a.go --\npackage p\n\ntype C struct{ A, B int }\n",
			declined: "one tag"},
	})
}
