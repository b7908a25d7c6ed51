package query

// Reader answers all questions about a project. Each part keeps what it answers
// from, under a lock of its own, and makes it when it is first asked.
type Reader struct {
	Core
	tree
	finder
	symbols
	colours
}

// New is a Reader of a project, which nothing has been asked yet.
func New(c Core) *Reader {
	return &Reader{Core: c, tree: tree{core: c}, finder: finder{core: c}, symbols: symbols{core: c}}
}
