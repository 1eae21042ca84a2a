package kit

// MustRaw requires that an operation succeeds and returns its result as the bytes that came.
func MustRaw(env *Env, operation string, data any) []byte {
	env.T.Helper()
	var raw jsonText
	env.Call(operation, data, &raw)
	return raw
}

// jsonText keeps a result as it came.
type jsonText []byte

// UnmarshalJSON keeps the bytes.
func (j *jsonText) UnmarshalJSON(data []byte) error {
	*j = append((*j)[:0], data...)
	return nil
}
