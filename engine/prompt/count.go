package prompt

// Ratio estimates the number of tokens in a text by its length. The zero value is a cautious guess
// for source code; Learn makes it that of a model.
type Ratio struct {
	Bytes float64 `json:"bytes"` // per token; 0: unknown
}

// Limits of what is believed: less would be random bytes, more would be a text of one letter.
const (
	guessedBytes = 3.5
	leastBytes   = 1.5
	mostBytes    = 8
	// enough is the length of a prompt from which a ratio can be learned: in a short one, what the
	// provider adds counts too much.
	enough = 8 << 10
)

// Tokens returns the estimated number of tokens of n bytes, rounded up.
func (r Ratio) Tokens(n int) int {
	per := r.Bytes
	if per == 0 {
		per = guessedBytes
	}
	return int(float64(n)/per + 0.999)
}

// Count is Tokens of a text.
func (r Ratio) Count(s string) int { return r.Tokens(len(s)) }

// Learn returns the ratio after a model has counted a prompt of n bytes. Later prompts weigh less
// than all earlier ones together, so that one odd prompt does not decide.
func (r Ratio) Learn(n, tokens int) Ratio {
	if n < enough || tokens <= 0 {
		return r
	}
	seen := min(max(float64(n)/float64(tokens), leastBytes), mostBytes)
	if r.Bytes != 0 {
		seen = 0.7*r.Bytes + 0.3*seen
	}
	return Ratio{seen}
}
