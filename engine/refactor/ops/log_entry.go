package ops

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// logger is the hook of a language that has a way to log.
type logger interface {
	// Values are the names of a function's parameters whose values can be logged: without a
	// receiver, a context, and what has no name.
	Values(d *kit.Decl) []string
	// Log is a statement that logs a text and these values, with the logger that is named or, where
	// none is, that the file uses. It declines where that logger is not known in the function.
	Log(d *kit.Decl, text string, values []string, with kit.Logger) (string, error)
}

// logEntry logs the call of a function with its parameters, as the first statement. What may
// be a secret stays out of the log.
func logEntry(j *kit.Job) error {
	ds, err := j.Subject("func")
	if err != nil {
		return err
	}
	with := kit.LoggerOf(j.Arg("logger"))
	for _, d := range ds {
		fn := d.Func()
		if fn == nil {
			return j.Declined("%s (%s) is a %s, not a function", d.Title, d.Place(), d.Kind)
		}
		var values []string
		for _, v := range j.Syntax.(logger).Values(d) {
			if root, _, _ := strings.Cut(with.Name, "."); v == root {
				continue // the logger itself
			}
			if secret(v) {
				j.Note("%s is not logged, because it looks like a secret.", v)
			} else {
				values = append(values, v)
			}
		}
		line, err := j.Syntax.(logger).Log(d, d.Title, values, with)
		if err != nil {
			return err
		}
		if err := j.Prepend(d.File, fn, line); err != nil {
			return err
		}
	}
	j.Say("%s logs its calls.", ds[0].Title)
	return nil
}

var secrets = strings.Fields("password passwd secret token apikey credential privatekey")

// secret: values that must not reach a log.
func secret(name string) bool {
	plain := strings.ReplaceAll(strings.ToLower(name), "_", "")
	for _, w := range secrets {
		if strings.Contains(plain, w) {
			return true
		}
	}
	return false
}
