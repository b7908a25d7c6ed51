package house

var _ = width // tests do not count
