package models_test

import (
	"sync"
	"testing"

	"github.com/redline-svc/redline/models/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// atOnce lets n callers begin at one moment and gives what each of them got.
func atOnce(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var callers sync.WaitGroup
	for i := range n {
		callers.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	callers.Wait()
	return errs
}
