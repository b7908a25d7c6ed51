package secrets

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
	hex    = digits + "abcdef"
	alnum  = lowers + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
	base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "234567"
)

// noise returns n characters of alphabet that look random and are always the same.
func noise(seed uint64, alphabet string, n int) string {
	var b strings.Builder
	for range n {
		seed = seed*6364136223846793005 + 1442695040888963407
		b.WriteByte(alphabet[(seed>>33)%uint64(len(alphabet))])
	}
	return b.String()
}

// planted is a token of a well-known kind. All are assembled here from parts, so that the
// repository contains nothing that looks like one.
type planted struct {
	rule    string
	context string // with %s where the token goes
	token   func(seed uint64) string
}

func plain(parts ...any) func(uint64) string {
	return func(seed uint64) string {
		var b strings.Builder
		for i := 0; i < len(parts); i++ {
			if n, ok := parts[i].(int); ok {
				i++
				b.WriteString(noise(seed+uint64(i), parts[i].(string), n))
				continue
			}
			b.WriteString(parts[i].(string))
		}
		return b.String()
	}
}

var tokens = []planted{
	{"aws-access-token", `id = "%s"`, plain("AK"+"IA", 16, base32)},
	{"github-pat", `token: %s`, plain("gh"+"p_", 36, alnum)},
	{"github-fine-grained-pat", `GITHUB=%s`, plain("github"+"_pat_", 82, alnum)},
	{"github-app-token", `use %s now`, plain("gh"+"s_", 36, alnum)},
	{"gitlab-pat", `GITLAB=%s`, plain("gl"+"pat-", 20, alnum)},
	{"slack-bot-token", `bot("%s")`, plain("xo"+"xb-", 12, digits, "-", 12, digits, 24, alnum)},
	{"slack-webhook-url", `url = %s`, plain("https://hooks."+"slack.com/", "services/", 44, alnum)},
	{"stripe-access-token", `stripe.key = "%s"`, plain("sk_"+"live_", 30, alnum)},
	{"openai-api-key", `OPENAI="%s"`, plain("sk-", 20, alnum, "T3Blbk"+"FJ", 20, alnum)},
	{"anthropic-api-key", `key="%s"`, plain("sk-"+"ant-api03-", 93, alnum, "AA")},
	{"gcp-api-key", `maps?key=%s `, plain("AI"+"za", 35, alnum)},
	{"npm-access-token", `//registry.example.com/:_authToken=%s`, plain("np"+"m_", 36, lowers+digits)},
	{"sendgrid-api-token", `SENDGRID: "%s"`, plain("SG"+".", 66, lowers+digits)},
	{"twilio-api-key", `sid '%s'`, plain("S"+"K", 32, hex)},
	{"digitalocean-pat", `do="%s"`, plain("dop"+"_v1_", 64, hex)},
	{"huggingface-access-token", `login("%s")`, plain("hf"+"_", 34, lowers)},
	{"pypi-upload-token", `password = %s`, plain("pypi-"+"AgEIcHlwaS5vcmc", 60, alnum)},
	{"shopify-access-token", `"%s"`, plain("shp"+"at_", 32, hex)},
	{"telegram-bot-api-token", `telegram_bot = "%s"`, plain(9, "123456789", ":A", 34, alnum)},
	{"jwt", `Bearer %s`, plain("ey"+"J", 30, alnum, ".ey"+"J", 60, alnum, ".", 43, alnum)},
	{"heroku-api-key", `heroku_key = "%s"`, plain(8, hex, "-", 4, hex, "-", 4, hex, "-", 4, hex, "-", 12, hex)},
	{"generic-api-key", `my_api_key = "%s"`, plain(40, alnum)},
	{"generic-api-key", `password: '%s'`, plain(24, alnum)},
	{"private-key", "%s", plain("-----BEGIN RSA "+"PRIVATE KEY-----\n", 64, alnum, "\n", 64, alnum,
		"\n-----END RSA PRIVATE KEY-----")},
	{"atlassian-api-token", `jira_token = "%s"`, plain(20, lowers, 4, digits)},
	{"vault-service-token", `vault="%s"`, plain("hv"+"s.", 95, alnum)},
	{"databricks-api-token", `"%s"`, plain("da"+"pi", 32, hex)},
	{"linear-api-key", `"%s"`, plain("lin"+"_api_", 40, alnum)},
}

// TestPlanted hides each token in real-looking source, in the middle, at the start
// and at the end of a text.
func TestPlanted(t *testing.T) {
	filler := "package main\n\nfunc main() {\n\tfmt.Println(\"key\", token)\n}\n"
	for i, p := range tokens {
		token := p.token(uint64(i) * 77)
		line := fmt.Sprintf(p.context, token)
		for _, text := range []string{line, filler + line + "\n" + filler, line + "\n" + filler,
			strings.Repeat(filler, 50) + line} {
			masked, found := Mask("main.go", []byte(text))
			if bytes.Contains(masked, []byte(token)) || len(found) != 1 {
				t.Errorf("%s: %d findings %v in\n%s", p.rule, len(found), found, masked)
				continue
			}
			f := found[0]
			if f.Rule != p.rule || !strings.Contains(text[f.From:f.To], token) || f.To-f.From > len(token)+40 {
				t.Errorf("want %s in %q, got %+v: %q", p.rule, token, f, text[f.From:f.To])
			}
			if want := 1 + strings.Count(text[:f.From], "\n"); f.Line != want {
				t.Errorf("%s: line %d, want %d", p.rule, f.Line, want)
			}
		}
	}
}

// TestNotSecret: text that looks like a secret and is not.
func TestNotSecret(t *testing.T) {
	for _, text := range []string{
		"", "key", "apiKey := os.Getenv(\"API_KEY\")", "password = \"${DB_PASSWORD}\"", "token: {{ .Values.token }}",
		"const secretKeyName = \"example-secret-key-name\"", "AK" + "IAIOSFODNN7EXAMPLE",
		"api_key = \"xxxxxxxxxxxxxxxxxxxxxxxx\"", "sha256:" + noise(3, hex, 64), "commit " + noise(4, hex, 40),
	} {
		b := []byte(text)
		if masked, found := Mask("x.go", b); found != nil || len(b) > 0 && &masked[0] != &b[0] {
			t.Errorf("%q: %v", text, found)
		}
	}
}

// text draws a text of tokens, keywords and whatever is around them.
func text(t *rapid.T) []byte {
	keyword := rapid.SampledFrom(theDetector().keywords)
	piece := rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1:
			p := rapid.SampledFrom(tokens).Draw(t, "token")
			return fmt.Sprintf(p.context, p.token(rapid.Uint64().Draw(t, "seed")))
		case 2:
			return keyword.Draw(t, "keyword")
		case 3:
			return strings.ToUpper(keyword.Draw(t, "keyword"))
		case 4:
			return noise(rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]string{hex, alnum, base32}).Draw(t, "alphabet"),
				rapid.IntRange(1, 120).Draw(t, "n"))
		default:
			return rapid.SampledFrom([]string{"\n", "\r\n", " ", "=", ":=", " = \"", "\"", "'", "key", "token", ": ", ";", "é",
				"\xff", ".", "-", "_", "secret", "https://", "jira", "\t"}).Draw(t, "filler")
		}
	})
	return []byte(strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), ""))
}

// TestQuickEqualsPlain: probes and windows change nothing.
func TestQuickEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := text(t)
		d := theDetector()
		if diff := cmp.Diff(d.findPlainly("a.go", b), d.find("a.go", b)); diff != "" {
			t.Fatalf("%q\nplain (-), quick (+):\n%s", b, diff)
		}
	})
}

// TestMaskLaws: findings are sorted, disjoint and inside the text; masking keeps everything
// else, and masked text has no further findings.
func TestMaskLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := text(t)
		before := bytes.Clone(b)
		masked, found := Mask("a.go", b)
		if !bytes.Equal(b, before) {
			t.Fatal("Mask changed its argument")
		}
		want, end := bytes.Clone(b), 0
		for _, f := range found {
			if f.From < end || f.To <= f.From || f.To > len(b) || f.Rule == "" {
				t.Fatalf("finding %+v after byte %d of %d", f, end, len(b))
			}
			end = f.To
			for i := f.From; i < f.To; i++ {
				if b[i] != '\n' && b[i] != '\r' {
					want[i] = Filler[(i-f.From)%len(Filler)]
				}
			}
		}
		if !bytes.Equal(masked, want) {
			t.Fatalf("masked %q\nwant %q", masked, want)
		}
	})
}

// TestAutomaton compares the table with a search for each keyword.
func TestAutomaton(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.StringMatching(`[abc-]{1,4}`), 1, 8, rapid.ID).Draw(t, "words")
		s := rapid.StringMatching(`[abcABC -]{0,30}`).Draw(t, "text")
		got, want := map[[2]int]bool{}, map[[2]int]bool{}
		newAutomaton(words).scan([]byte(s), func(k int32, end int) { got[[2]int{int(k), end}] = true })
		for k, w := range words {
			for end := len(w); end <= len(s); end++ {
				if strings.EqualFold(s[end-len(w):end], w) {
					want[[2]int{k, end}] = true
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q in %q (-want +got):\n%s", words, s, diff)
		}
	})
}
