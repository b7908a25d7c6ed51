package server

import "context"

// Reads lists all reads of /api, with their arguments and answers.
var reads map[string]read

func init() {
	reads = map[string]read{
		"build":   anytime(readBuild),   // for scripts
		"folders": anytime(readFolders), // to choose a project in a browser

		"providers": anytime(readProviders), // those of config.toml, and those that are known

		"tree":       looking(readTree), // bare: without marks from the history, to be quick
		"find":       looking(readFind),
		"grep":       reading(readGrep),
		"symbols":    reading(readSymbols),
		"spans":      looking(readSpans), // POST
		"models":     looking(readModels),
		"modelFile":  looking(readModelFile),  // the page of a model file
		"modelState": looking(readModelState), // what changes there
		"operations": looking(readOperations),
		"working":    reading(readWorking),    // those that the built-in model can carry out now
		"connect":    reading(readConnect),    // POST: the user begins to type a request to a model
		"understood": reading(readUnderstood), // POST: what is understood of a request while it is typed

		"context": reading(readContext), // POST: what a request would send to its language model

		"file":     reading(readFile),
		"removal":  reading(readRemoval),
		"past":     reading(readPast),
		"filesAt":  reading(readFilesAt),
		"timeline": looking(readTimeline),
		"size":     looking(readSize),
		"edit":     reading(readEdit),
		"diffs":    reading(readDiffs),
		"diff":     reading(readDiff),
		"blame":    reading(readBlame),
		"ready":    looking(readReady),    // the ready requests
		"findings": looking(readFindings), // of all reviews, at their lines of now
		"reviewed": looking(readReviewed), // what the review of a turn found
		"review":   looking(readReview),   // path "": of all files
		"threeWay": reading(readThreeWay), // the current sides of a file of a conflict, even if it is gone by now

		"sessions":     looking(readSessions),
		"conversation": looking(readConversation),
		"markdown":     looking(readMarkdown), // a whole conversation as a document
	}
}

type buildAnswer struct {
	Build string `json:"build"`
}

func readBuild(_ context.Context, h *host, _ none) (buildAnswer, error) {
	return buildAnswer{h.opt.Build}, nil
}
