package poll

// Signal remembers that it was set until somebody receives from it. Setting it
// several times before that is as good as once.
type Signal chan struct{}

// NewSignal makes one that is not set.
func NewSignal() Signal { return make(Signal, 1) }

// Set sets it. It never blocks.
func (s Signal) Set() {
	select {
	case s <- struct{}{}:
	default: // it is set already
	}
}

// Clear takes back what nobody has received.
func (s Signal) Clear() {
	select {
	case <-s:
	default: // it is not set
	}
}
