package app

// reads is what is kept to answer pages quickly. Each part has its own lock, is
// made when it is first asked for, and can be thrown away at any time.
type reads struct {
	marks   markCache
	symbols symbolIndex
}
