package spark

var errorMacros = []macro{
	{"ignored", "(ignored|unhandled|unchecked|dropped|swallowed|discarded|neglected|uncaught)"},
	{"in-which", "((in|inside|within) [@func] <func:thing> [@func] [@in-file] | @at-lines)"},
	{"handle", "(handle|check|deal with|take care of)"},
	{"pass-on", "(wrap|return|propagate|bubble up|pass on|pass up|wrap and return|return and wrap)"},
	{"with-logger", "(with|using|via|through|by) <logger:sym>"},
	{"of-call", "((from|of|by) [(calling|call to|call of)] <call:sym>)"},
}

var errorOps = []operation{{
	name:    "handle-error",
	pointed: "func",
	phrases: []string{
		"@handle [@ignored] (error|err) [@of-call] [@in-which]",
		"@pass-on @ignored (error|err) [@of-call] [@in-which]",
		"log @ignored (error|err|exception) [@of-call] [@in-which] <mode=log>",
		"wrap [(returned|plain|bare|raw)] (error|err|error value) [@of-call] [(that|which) (is|gets) returned] [@in-which] <mode=wrap>",
		"wrap @every [(returned|plain|bare|raw)] (error|errors|err) [(that|which) (is|are|gets|get) returned] [@in-which] <mode=wrap-all>",
		"(return|propagate|bubble up|pass on|pass up) (error|err) [@of-call] [@in-which] <mode=return>",
		"(@handle|@pass-on) (error|err) [that is|that's|which is|which gets|that gets] [being] @ignored [@in-which]",
		"(@handle|@pass-on) (error|err) [that|which] <func:subj> (ignores|drops|swallows|discards)",
		"(stop|don't|do not) (ignoring|ignore|dropping|drop|swallowing|swallow|discarding|discard) error [@in-which]",
		"(handle|check|return|propagate) error instead of (ignoring|dropping|swallowing|discarding) it [@in-which]",
		"<func:subj> @must (handle|return|check|propagate|not ignore) @ignored (error|err)",
		"make <func:subj> (handle|return|check|propagate) [its] @ignored (error|err)",
		"(catch|handle) (exception|exceptions|error|errors) @of-call [@in-which]",
		"(catch|handle) (exception|exceptions|error|errors) [(that|which)] <call:sym> (can|may|might|could) (raise|throw|give|return) [@in-which]",
		"(wrap|put) [(call|calling) [(of|to)]] <call:sym> (in|into) (try|try/catch|try-catch|try/except|try-except|try catch|try except) [(block|statement)] [@in-which]",
	},
	more: []string{"(in|inside) [@func] <func:subj> [@func]"},
	say: func(a args) string {
		what := map[string]string{"": "handle the ignored error", "wrap": "wrap the error", "wrap-all": "wrap every error",
			"return": "return the error", "log": "log the ignored error"}[a["mode"]]
		if a["call"] != "" {
			what = join(what, "from", a.name("call"))
		}
		if a["func"] == "" {
			return join(what, "in the selection")
		}
		return join(what, a.in("func"))
	},
}, {
	name: "log-entry",
	phrases: []string{
		"log [on|at|upon] [the] (entry|start|beginning|top) (of|to|into|in) [@func] <func:subj> [@func] [@with-logger]",
		"log (entry|entering) [of|to|into] [@func] <func:subj> [@func] [@with-logger]",
		"log (when|whenever|each time|every time) [@func] <func:subj> [@func] (is|gets) (called|entered|invoked) [@with-logger]",
		"log (each|every|all) (call|calls|invocation) (to|of) [@func] <func:subj> [@func] [@with-logger]",
		"log calls (to|of) [@func] <func:subj> [@func] [@with-logger]",
		"log [the] (parameters|arguments|params|args) of [@func] <func:subj> [@func] [(on|at) entry] [@with-logger]",
		"@add (log|logging|log line|log statement|log message|log call) (at|to|on) [the] (entry|start|beginning|top) (of|to) [@func] <func:subj> [@func] [@with-logger]",
		"@add logging (to|in) [@func] <func:subj> [@func] [@with-logger]",
		"@add (entry log|entry logging|entry log line|entry log statement|log-entry) (to|in|for) [@func] <func:subj> [@func] [@with-logger]",
	},
	more: []string{"[@func] <func:codesym> [@func]"},
	say: func(a args) string {
		return join("log at entry of", a.name("func"), a.using("logger"))
	},
}}
