package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"waferpair/app/modelfiles"
	"waferpair/app/providers"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/gguf"
	"waferpair/engine/local"
	"waferpair/engine/model"
	"waferpair/wafer/transformer"
)

// networked is a model with a network inside, and nothing else.
type networked struct {
	network model.Network
	err     error
}

func (networked) Info() model.Info {
	return model.Info{Name: "spark", Kind: "spark", Help: "a network"}
}

func (networked) Generate(context.Context, model.Prompt, func(model.Delta) error) (model.Result, error) {
	return model.Result{}, errors.New("it cannot generate")
}

func (n networked) Network() (model.Network, error) { return n.network, n.err }

// randomNetwork is a network with random weights, and tokens that it reads.
func randomNetwork(t *testing.T) model.Network {
	t.Helper()
	c := transformer.Defaults("llama")
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "small", 2, 64, 128, 300
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.ContextLength, c.TieWordEmbeddings = 2, 2, 32, 64, true
	pairs, tensors := gguf.Sources(c, transformer.Random(c, 5), gguf.F16)
	var file bytes.Buffer
	if err := gguf.Write(&file, pairs, tensors); err != nil {
		t.Fatal(err)
	}
	n := model.Network{File: file.Bytes(), Request: "rename a to b"}
	r := rand.New(rand.NewPCG(5, 0))
	for range 12 {
		n.Tokens = append(n.Tokens, r.IntN(c.VocabSize))
	}
	for i := range c.VocabSize {
		n.Names = append(n.Names, "token"+string(rune('A'+i%26))+string(rune('a'+i/26)))
	}
	return n
}

func runWith(t *testing.T, m networked, args ...string) (code int, out, diag string) {
	t.Helper()
	var o, d bytes.Buffer
	e := &env{in: strings.NewReader(""), out: &o, err: &d, models: engine.NewRegistry([]engine.Driver{agent.New(m)}),
		providers: providers.New(t.TempDir(), t.TempDir()), files: modelfiles.In(t.TempDir(), t.TempDir(), &local.Shelf{})}
	code = e.run(t.Context(), args)
	return code, o.String(), d.String()
}

// TestNetwork: the network of a model is shown with its cycles by the formulas; emulated, with
// the cycles that 'wafer simulate' counts, and the token of the plain pass.
func TestNetwork(t *testing.T) {
	n := randomNetwork(t)
	var shown struct{ Network shownNetwork }
	read := func(to any, args ...string) {
		t.Helper()
		code, out, diag := runWith(t, networked{network: n}, args...)
		if code != exitDone {
			t.Fatalf("%q ended with %d: %s", args, code, diag)
		}
		if err := json.Unmarshal([]byte(out), to); err != nil {
			t.Fatalf("%q: %v in %s", args, err, out)
		}
	}
	read(&shown, "models", "show", "spark", "--json")
	s := shown.Network
	if s.Name != "small" || s.Parameters != 300*64+2*(4*64*64+3*64*128) || s.Bytes != len(n.File) || s.Layers != 2 ||
		s.Vocabulary != 300 || s.Positions != 64 || s.Wafer.Cycles != 0 || s.Wafer.Formulas == 0 {
		t.Errorf("shown is %+v, %+v", s, s.Wafer)
	}
	read(&shown, "models", "show", "spark", "--emulate", "--json")
	counted := *shown.Network.Wafer
	if off := float64(counted.Cycles)/s.Wafer.Formulas - 1; off > 0.05 || off < -0.05 {
		t.Errorf("%d cycles were counted, %.0f by formula", counted.Cycles, s.Wafer.Formulas)
	}
	if counted.Token == "" || counted.Token != counted.PlainToken {
		t.Errorf("token %q, by the plain pass %q", counted.Token, counted.PlainToken)
	}
	if off := counted.TokS*float64(counted.Cycles)/(counted.GHz*1e9) - 1; off > 1e-9 || off < -1e-9 {
		t.Errorf("%v tokens/s at %d cycles and %v GHz", counted.TokS, counted.Cycles, counted.GHz)
	}
	var step simulatedStep
	read(&step, "wafer", "simulate", "--model", "spark", "--mesh", "32", "--json")
	if step.Cycles != counted.Cycles || step.Context != len(n.Tokens) || n.Names[step.Token] != counted.Token ||
		step.Weights != "of the file" {
		t.Errorf("'wafer simulate' has %+v, and 'models show' %+v", step, counted)
	}
	var estimate struct {
		CyclesPerToken float64 `json:"cycles_per_token"`
	}
	read(&estimate, "wafer", "estimate", "--model", "spark", "--decode-mesh", "32", "--context", "12", "--json")
	if estimate.CyclesPerToken != s.Wafer.Formulas {
		t.Errorf("'wafer estimate' has %v cycles, and 'models show' %v", estimate.CyclesPerToken, s.Wafer.Formulas)
	}
	for _, emulate := range []string{"--emulate=false", "--emulate"} {
		_, out, _ := runWith(t, networked{network: n}, "models", "show", "spark", emulate)
		for _, says := range []string{"network small: ", "32 x 32 emulated cores", "cycles a token", "tokens/s"} {
			if !strings.Contains(out, says) {
				t.Errorf("%s: %q is not in %q", emulate, says, out)
			}
		}
		if counts := strings.Contains(out, "counted"); counts != (emulate == "--emulate") {
			t.Errorf("%s: %q", emulate, out)
		}
	}
}

// TestNoNetwork: a damaged network is said to be, and does not keep a model from being shown;
// a model without one has none to emulate.
func TestNoNetwork(t *testing.T) {
	damaged := networked{err: errors.New("its weights are damaged")}
	code, out, _ := runWith(t, damaged, "models", "show", "spark")
	if code != exitDone || !strings.Contains(out, "its network is not used: its weights are damaged") {
		t.Errorf("%d, %q", code, out)
	}
	for _, args := range [][]string{{"models", "show", "spark", "--emulate"}, {"wafer", "simulate", "--model", "spark"},
		{"wafer", "estimate", "--model", "spark"}} {
		if code, _, diag := runWith(t, damaged, args...); code != exitFailed || !strings.Contains(diag, "damaged") {
			t.Errorf("%q ended with %d: %s", args, code, diag)
		}
	}
	for says, m := range map[string]networked{"damaged": damaged, "can be used": {network: randomNetwork(t)}, "": {}} {
		e := &env{models: engine.NewRegistry([]engine.Driver{agent.New(m)})}
		found := e.examineNetworks()
		if says == "" && len(found) > 0 || says != "" && (len(found) != 1 || found[0].OK != (m.err == nil) ||
			!strings.Contains(found[0].Says, says)) {
			t.Errorf("doctor finds %+v", found)
		}
	}
	code, _, diag := runWith(t, networked{}, "models", "show", "spark", "--emulate")
	if code != exitUsage || !strings.Contains(diag, "no neural network") {
		t.Errorf("%d, %q", code, diag)
	}
	if _, out, _ := runWith(t, networked{}, "models", "show", "spark"); strings.Count(out, "\n") != 1 {
		t.Errorf("%q", out)
	}
}
