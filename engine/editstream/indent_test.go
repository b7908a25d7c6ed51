package editstream

import "testing"

func TestIndentationOfNewLines(t *testing.T) {
	const py = "class A:\n    def f(self):\n        if a:\n            b()\n        c()\n"
	const golang = "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n"
	patch := func(lines string) string { return bp + "*** Update File: f.go\n@@\n" + lines + ep }
	block := func(old, now string) string {
		return "f.go\n<<<<<<< SEARCH\n" + old + "=======\n" + now + ">>>>>>> REPLACE\n"
	}
	for _, c := range []struct{ name, file, text, want string }{
		{"a hunk without it", py, patch(" if a:\n-    b()\n+    b(1)\n+    if d:\n+        e()\n c()\n"),
			"class A:\n    def f(self):\n        if a:\n            b(1)\n            if d:\n                e()\n        c()\n"},
		{"a block without it", py, block("if a:\n    b()\n", "if a and d:\n    b()\n    e()\n"),
			"class A:\n    def f(self):\n        if a and d:\n            b()\n            e()\n        c()\n"},
		{"a block with too much", py, block("            if a:\n                b()\n",
			"            if d:\n                b()\n"),
			"class A:\n    def f(self):\n        if d:\n            b()\n        c()\n"},
		{"only context, a level out", py, patch(" def f(self):\n     if a:\n+        d()\n         b()\n"),
			"class A:\n    def f(self):\n        if a:\n            d()\n            b()\n        c()\n"},
		{"only context lacks it", py, patch(" if a:\n+            d()\n b()\n"),
			"class A:\n    def f(self):\n        if a:\n            d()\n            b()\n        c()\n"},
		{"context lacks its mark", py, bp + "*** Update File: f.go\n@@\n        if a:\n+            d()\n            b()\n" +
			ep,
			"class A:\n    def f(self):\n        if a:\n            d()\n            b()\n        c()\n"},
		{"spaces for tabs", golang,
			patch("     if a {\n-        b()\n+        if c {\n+            d()\n+        }\n     }\n"),
			"func f() {\n\tif a {\n\t\tif c {\n\t\t\td()\n\t\t}\n\t}\n}\n"},
		{"spaces for tabs in a block", golang,
			block("  if a {\n    b()\n", "  if a {\n    if c {\n      d()\n    }\n    b()\n"),
			"func f() {\n\tif a {\n\t\tif c {\n\t\t\td()\n\t\t}\n\t\tb()\n\t}\n}\n"},
		{"no system", py, patch("   if a:\n-  b()\n+        x\n"),
			"class A:\n    def f(self):\n        if a:\n        x\n        c()\n"},
		{"the change is one of indentation", py, patch("         if a:\n             b()\n-        c()\n+            c()\n"),
			"class A:\n    def f(self):\n        if a:\n            b()\n            c()\n"},
	} {
		t.Run(c.name, func(t *testing.T) { checkStream(t, NewAuto, c.file, c.text, c.want, "", "") })
	}
}
