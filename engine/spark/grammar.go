package spark

import (
	"slices"
	"sync"
)

// grammar is everything compiled. It is built once, at the first request.
type grammar struct {
	opening *node // courtesy, and the file when it is named first
	closing *node // the file when it is named last, and courtesy
	ops     []*operation
	hints   []hint // requests that are near one or several of ours

	vocabulary func() (words map[string]map[string]bool, uses map[string]int)
}

// operations lists the tables, one file for each family of operations.
var operations = [][]operation{renameOps, docOps, paramOps, fieldOps, importOps, valueOps, extractOps, errorOps,
	testOps, callOps, removeOps}

// A macro is a pattern that phrases share. It may use others.
type macro struct{ name, pattern string }

var macroTables = [][]macro{baseMacros, renameMacros, docMacros, paramMacros, fieldMacros, tagMacros, importMacros,
	valueMacros, extractMacros, errorMacros, testMacros, removeMacros, flagMacros, unnamedMacros}

var baseMacros = []macro{
	// verbs
	{"add", "(add|put|insert|create|introduce|write|append)"},
	{"remove", "(remove|delete|drop|get rid of|strip|eliminate|take out|take away|clear|clear out|throw out|throw away|erase|clean up|clean out|kill)"},
	{"change", "(change|update|modify|adjust|alter|bump|raise|lower|increase|decrease|reduce|edit)"},
	{"takes", "(take|takes|accept|accepts|receive|receives|have|has|get|gets)"},
	{"every", "(all [of]|every|each [of]|any)"},

	// nouns
	{"func", "(function|func|method|helper|procedure)"},
	{"kind", `((function|func|procedure) <kind=func> | method <kind=method> | (type|struct|class|interface) <kind=type> |
		(field|property|attribute|member) <kind=field> | [global|top-level] (variable|var) <kind=var> | (constant|const) <kind=const> |
		(parameter|param|argument|arg|receiver) <kind=param> | local [variable|var] <kind=local> | symbol | identifier)`},
	{"kinds", `((functions|funcs) <kind=func> | methods <kind=method> | (types|structs|classes|interfaces) <kind=type> |
		(fields|properties|attributes) <kind=field> | (variables|vars) <kind=var> | (constants|consts) <kind=const> |
		(parameters|params|arguments) <kind=param> | locals <kind=local> | symbols | identifiers | declarations)`},
	{"onekind", `((function|func) <kind=func> | method <kind=method> | (type|struct|class|interface) <kind=type> | field <kind=field> |
		variable <kind=var> | constant <kind=const> | parameter <kind=param> | local <kind=local>)`},
	{"typekind", "(struct|class|interface|type)"},
	{"param", "(parameter|param|argument|arg)"},
	{"field", "(field|property|attribute|member)"},
	{"called", "(called|named|by the name [of])"},
	{"calls", "(call|calls|caller|callers|call site|call sites|call-site|call-sites|callsite|callsites)"},
	{"arrow", "(->|=>|→)"},

	// what an operation does anyway, when the user says it
	{"callers", `[[,] [and] (update|updating|fix|fixing|adjust|adjusting|change|changing) [all|every|each] [of] [its] [existing]
		(@calls|uses|usages|references) [to it|of it|too|accordingly|as well]]`},

	// where
	{"file", "[file] <@file:file> [file]"},
	{"this", "(this|current|open) (file|buffer|document) <@this=file>"},
	{"selected", "(selection|selected (lines|line|code|text|part|expression|region)|current selection|what is selected|highlighted (lines|line|code|text)|these lines|this line|this selection|this|it|this code|this block|this statement|this place|this spot|this expression) <@this=selection>"},
	{"lines", "(line <@from:number> | lines <@from:number> (to|through|until|-|–) <@to:number>) [(of|in) (@file|@this)]"},
	{"all-files", `(everywhere [in (project|codebase|code|repo|repository)] | project-wide | project wide | globally |
		(in|across|throughout|over) (all|every|whole|entire|complete|all of) (file|files|project|codebase|code base|repo|repository|module) |
		(across|throughout) (project|codebase|code base|repo|repository|module) | across all files |
		wherever (it is|it's|they are) used | in all places [where] [it is used] | at all places) <@everywhere=yes>`},
	{"in-file", "(in|inside|within) (@file|@this)"},
	{"at-file", "(in|inside|within|to|from|of|for|at the top of|at top of|on) (@file|@this)"},
	{"at-lines", "((on|at|in) @lines | (in|within|at) @selected | here <@this=selection>)"},
	{"where", "(@in-file|@all-files|@at-lines)"},

	// courtesy
	{"greeting",
		"(hi|hey|hello|ok|okay|alright|right|so|yes|well|now|next|first|finally|lastly) [spark|waferpair|there] [,|:|!]"},
	{"ask", `((can|could|would|will) you | i want you to | i want to | i need you to | i need to | i would like [you] to | i'd like [you] to |
		let's | lets | let us | we need to | we want to | we should | help me [to] | go ahead and | be so kind [as] to)`},
	{"please", "(please|pls|kindly|just|simply|quickly|also)"},
	{"thanks", "([,] (please|pls|thanks|thank you|thx|for me|now|right now|right away|cheers|ok|okay|would you|will you|if you please) [a lot|very much])"},
}

const openingPattern = "[@greeting] [@please] [,] [@ask] [@please] [@ask] [((in|inside|within) (@file|@this) | (on|in|at) @lines) [,|:] <@lead=yes> | @file : <@lead=yes>] [@please]"

const closingPattern = "[[,] @where] [@thanks] [@thanks]"

// theGrammar compiles the tables, once.
var theGrammar = sync.OnceValue(func() *grammar { return compileGrammar(formed()...) })

func compileGrammar(more ...operation) *grammar {
	compiled := &macroSet{patterns: map[string]string{}, nodes: map[string]*node{}}
	for _, table := range macroTables {
		for _, mc := range table {
			compiled.patterns[mc.name] = mc.pattern
		}
	}
	g := &grammar{opening: compile(openingPattern, compiled), closing: compile(closingPattern, compiled)}
	for _, family := range append(slices.Clip(operations), more) {
		for i := range family {
			g.ops = append(g.ops, family[i].compiled(compiled))
		}
	}
	for _, h := range slices.Concat(hints, unnamedHints) {
		h.node = compile(h.pattern, compiled)
		g.hints = append(g.hints, h)
	}
	g.vocabulary = sync.OnceValues(g.vocabularies)
	return g
}

func (op operation) compiled(macros *macroSet) *operation {
	for _, p := range op.phrases {
		op.full = append(op.full, newPhrase(compile(p, macros)))
	}
	for _, p := range op.more {
		op.next = append(op.next, newPhrase(compile(p+" <@more=yes>", macros)))
	}
	return &op
}
