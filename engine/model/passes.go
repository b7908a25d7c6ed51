package model

import "context"

// Pass is a pass of a model that runs on this computer: so many tokens that follow each other, behind so many
// positions, the last of which were guessed.
type Pass struct {
	Tokens, Depth int
	Drafted       int
	Written       int // tokens of the answer that came of it; 0: it read a prompt
}

type passesKey struct{}

// WithPasses sets the function that is told of each pass when it has been computed. It is called between two
// passes, so it must return at once.
func WithPasses(ctx context.Context, take func(Pass)) context.Context {
	return context.WithValue(ctx, passesKey{}, take)
}

// PassesOf returns that function, never nil.
func PassesOf(ctx context.Context) func(Pass) {
	if take, ok := ctx.Value(passesKey{}).(func(Pass)); ok {
		return take
	}
	return func(Pass) {}
}
