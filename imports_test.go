package main

import (
	"os/exec"
	"strings"
	"testing"
)

// layers lists the packages of this module that each package may import: the entry with the
// longest prefix applies. Imports point one way, from app down to workspace/text.
var layers = map[string]string{
	"waferpair":                "waferpair/app/cli",
	"waferpair/app":            "*",
	"waferpair/app/userfile":   "",
	"waferpair/app/providers":  "waferpair/app/config waferpair/app/keys waferpair/app/spending waferpair/app/userfile waferpair/engine",
	"waferpair/app/spending":   "waferpair/engine/model",
	"waferpair/app/modelfiles": "waferpair/app/userfile waferpair/engine waferpair/wafer/transformer",
	"waferpair/app/query":      "waferpair/app/fuzzy waferpair/app/items waferpair/app/mask waferpair/app/parts waferpair/engine waferpair/history waferpair/workspace",
	"waferpair/app/changes":    "waferpair/app/query waferpair/workspace/text",
	"waferpair/app/config":     "waferpair/app/userfile waferpair/engine/model",
	"waferpair/app/disk":       "waferpair/app/mask waferpair/app/spare waferpair/history waferpair/workspace",
	"waferpair/app/fuzzy":      "",
	"waferpair/app/recipes":    "",
	"waferpair/app/spare":      "waferpair/history",
	"waferpair/app/items":      "waferpair/app/mask waferpair/app/parts waferpair/engine waferpair/history",
	"waferpair/app/keys":       "",
	"waferpair/app/live":       "waferpair/app/mask waferpair/history waferpair/workspace",
	"waferpair/app/mask":       "waferpair/history waferpair/workspace",
	"waferpair/app/parts":      "waferpair/engine",
	"waferpair/app/owner":      "waferpair/app waferpair/engine waferpair/history",
	"waferpair/app/speed":      "waferpair/app waferpair/engine waferpair/history",
	// its oracle depends on the program only for file names and the algebra of changes
	"waferpair/app/bench/faults":        "waferpair/app/bench/line waferpair/workspace",
	"waferpair/app/bench/line":          "",
	"waferpair/app/bench/cuts":          "waferpair/engine/responses/fake",
	"waferpair/build/train":             "waferpair/engine/refactor waferpair/engine/spark waferpair/wafer/transformer",
	"waferpair/build/modelfile":         "waferpair/engine/gguf waferpair/engine/local/localtest",
	"waferpair/frontend":                "",
	"waferpair/engine":                  "waferpair/engine waferpair/wafer waferpair/workspace/text",
	"waferpair/engine/editstream":       "waferpair/workspace/text",
	"waferpair/engine/agent":            "waferpair/engine waferpair/workspace/text",
	"waferpair/engine/chat":             "waferpair/engine/model waferpair/engine/responses",
	"waferpair/engine/drivertest":       "waferpair/engine waferpair/workspace/text",
	"waferpair/engine/gguf":             "waferpair/engine/quant waferpair/wafer/transformer",
	"waferpair/engine/quant":            "waferpair/wafer/half",
	"waferpair/engine/infer":            "waferpair/engine/gguf waferpair/engine/infer/kernel waferpair/engine/quant waferpair/wafer/half waferpair/wafer/transformer",
	"waferpair/engine/infer/cache":      "waferpair/engine/infer",
	"waferpair/engine/infer/kernel":     "",
	"waferpair/engine/draft":            "",
	"waferpair/engine/local":            "waferpair/engine/chat waferpair/engine/draft waferpair/engine/gguf waferpair/engine/infer waferpair/engine/model waferpair/engine/sample waferpair/engine/token waferpair/wafer",
	"waferpair/engine/model":            "waferpair/workspace/text",
	"waferpair/engine/prompt":           "waferpair/engine/model waferpair/workspace/text",
	"waferpair/engine/responses":        "waferpair/engine/model",
	"waferpair/engine/responses/chat":   "waferpair/engine/model waferpair/engine/responses",
	"waferpair/engine/responses/client": "waferpair/engine/responses/chat waferpair/engine/model waferpair/engine/responses",
	"waferpair/engine/sample":           "",
	"waferpair/engine/script":           "waferpair/engine/model",
	"waferpair/engine/token":            "waferpair/engine/gguf",
	"waferpair/engine/spark":            "waferpair/engine/model waferpair/engine/refactor waferpair/engine/spark waferpair/workspace/text",
	"waferpair/engine/spark/link":       "waferpair/engine/refactor",
	"waferpair/engine/spark/decoder":    "waferpair/engine/gguf waferpair/engine/refactor waferpair/engine/spark/link waferpair/wafer/transformer",
	"waferpair/engine/spark/linear":     "waferpair/engine/spark/link",
	"waferpair/engine/spark/propose":    "waferpair/engine/refactor waferpair/engine/spark",
	"waferpair/engine/refactor":         "waferpair/engine/refactor waferpair/workspace/text",
	"waferpair/history":                 "waferpair/history waferpair/workspace/text",
	"waferpair/history/plan":            "waferpair/history/version waferpair/workspace/text",
	"waferpair/history/version":         "waferpair/workspace/text",
	"waferpair/wafer":                   "waferpair/wafer",
	"waferpair/wafer/half":              "",
	"waferpair/wafer/transformer":       "waferpair/wafer/half",
	"waferpair/workspace":               "waferpair/workspace",
	"waferpair/workspace/text":          "",
	"waferpair/workspace/ignore":        "",
	"waferpair/workspace/watch":         "",
	"waferpair/workspace/secrets":       "",

	// written from the protocol's documentation alone: it must not share a mistake with the codec
	"waferpair/engine/responses/fake": "",
}

func TestImportsPointOneWay(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}:{{join .Imports " "}}`, "./...").
		Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		allowed := strings.Fields(layerOf(pkg))
		for _, imp := range strings.Fields(imports) {
			if strings.HasPrefix(imp, "waferpair/") && !covered(allowed, imp) {
				t.Errorf("%s must not import %s", pkg, imp)
			}
		}
	}
}

// TestPropertyTestsAreSeeded checks that every package with property tests takes their seed from
// WAFERPAIR_SEED: otherwise whether a commit passes would depend on luck.
func TestPropertyTestsAreSeeded(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f",
		`{{.ImportPath}}:{{join .TestImports " "}} {{join .XTestImports " "}} `, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(line, ":")
		if strings.Contains(imports, "pgregory.net/rapid ") &&
			!strings.Contains(imports, "waferpair/build/testseed/rapidseed ") {
			t.Errorf("%s: a test must import waferpair/build/testseed/rapidseed", pkg)
		}
	}
}

// TestProductIsNoTest checks that the product does not contain the packages that measure
// it, attack it, or drive turns in tests.
func TestProductIsNoTest(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"waferpair/app/bench", "waferpair/workspace/stress", "waferpair/engine/drivertest",
		"waferpair/engine/responses/fake", "waferpair/build/"} {
		if strings.Contains(string(out), pkg) {
			t.Errorf("the product has %s in it", pkg)
		}
	}
}

func layerOf(pkg string) string {
	for p := pkg; ; p = p[:strings.LastIndexByte(p, '/')] {
		if allowed, ok := layers[p]; ok && (p == pkg || p != "waferpair") {
			return allowed
		}
		if !strings.Contains(p, "/") {
			return ""
		}
	}
}

func covered(allowed []string, imp string) bool {
	for _, a := range allowed {
		if a == "*" || imp == a || strings.HasPrefix(imp, a+"/") {
			return true
		}
	}
	return false
}
