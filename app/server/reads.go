package server

import "context"

// reads are everything that /api answers, by name.
var reads map[string]read

func init() {
	reads = map[string]read{
		"build":   anytime(readBuild),
		"folders": anytime(readFolders),

		"tree":       looking(readTree),
		"find":       looking(readFind),
		"grep":       reading(readGrep),
		"symbols":    reading(readSymbols),
		"spans":      looking(readSpans),
		"models":     looking(readModels),
		"operations": looking(readOperations),
		"working":    reading(readWorking),

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
		"review":   looking(readReview),
		"threeWay": reading(readThreeWay),

		"sessions":     looking(readSessions),
		"conversation": looking(readConversation),
	}
}

type buildAnswer struct {
	Build string `json:"build"`
}

func readBuild(_ context.Context, h *host, _ none) (any, error) { return buildAnswer{h.opt.Build}, nil }
