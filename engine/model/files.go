package model

import "context"

type filesKey struct{}

// WithFiles says what the names of files mean that a user gave for a turn: a command
// line may come from another process, with another working folder.
func WithFiles(ctx context.Context, file func(name string) string) context.Context {
	return context.WithValue(ctx, filesKey{}, file)
}

// File is the path of a file that the user named.
func File(ctx context.Context, name string) string {
	if file, ok := ctx.Value(filesKey{}).(func(string) string); ok {
		return file(name)
	}
	return name
}
