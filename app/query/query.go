package query

// Reader answers all questions about a project. Each part has its own cache and lock, and fills
// the cache at the first question.
type Reader struct {
	Core
	tree
	finder
	symbols
	colours
}

// New returns a Reader of a project, with empty caches.
func New(c Core) *Reader {
	return &Reader{Core: c, tree: tree{core: c}, finder: finder{core: c}, symbols: symbols{core: c}}
}
