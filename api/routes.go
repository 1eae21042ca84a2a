package api

// Handlers are the areas of the interface, one struct each. All are pointers:
// the table only names their methods.
type Handlers struct {
}

// Routes is the one table of all operations: path, function, and what differs
// from an operation that wants an API key, ignores unknown keys, takes 1 MiB
// and counts under the key's limit.
func Routes(h Handlers) []Route {
	_ = h
	return []Route{}
}
