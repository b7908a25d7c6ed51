package kit

import (
	"slices"
	"strings"
)

// Logger is a logger as a request names it: slog, self.log, LOG.debug.
type Logger struct {
	Name  string // "" where the request names none
	Level string // in lower case, of a method that is named with it
}

// logLevels are the methods of loggers that say how important a message is.
var logLevels = strings.Fields(`trace debug info warn warning error notice print printf println
	fine finer finest config severe`)

// LoggerOf reads what a request calls a logger.
func LoggerOf(text string) Logger {
	name := strings.TrimSuffix(strings.Trim(text, "`\"' "), "()")
	for _, article := range []string{"the ", "our ", "my ", "a "} {
		name = strings.TrimPrefix(name, article)
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return Logger{Name: name}
	}
	last := strings.ToLower(name[i+1:])
	for _, tail := range []string{"", "context", "ln", "f", "w"} {
		if l := strings.TrimSuffix(last, tail); slices.Contains(logLevels, l) {
			return Logger{Name: name[:i], Level: l}
		}
	}
	if last == "log" && name[:i] == "console" {
		return Logger{Name: name[:i], Level: last}
	}
	return Logger{Name: name}
}
