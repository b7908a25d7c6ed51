package model

import "context"

type filesKey struct{}

// WithFiles sets the function that resolves file names given by the user of a turn. The
// command line may run in another process, with another working folder.
func WithFiles(ctx context.Context, file func(name string) string) context.Context {
	return context.WithValue(ctx, filesKey{}, file)
}

// File returns the path of a file that the user named.
func File(ctx context.Context, name string) string {
	if file, ok := ctx.Value(filesKey{}).(func(string) string); ok {
		return file(name)
	}
	return name
}
