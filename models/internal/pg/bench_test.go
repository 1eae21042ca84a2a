package pg_test

import (
	"testing"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pgtest"
)

func BenchmarkRead(b *testing.B) {
	db := opened(b, pgtest.URL(b), nil)
	for b.Loop() {
		if err := db.Read(b.Context(), func(tx *pg.Tx) error { return tx.Send(b.Context(), queue("SELECT 1", "SELECT 2")) }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadBatch(b *testing.B) {
	db := opened(b, pgtest.URL(b), nil)
	for b.Loop() {
		if err := db.ReadBatch(b.Context(), queue("SELECT 1", "SELECT 2")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInTx(b *testing.B) {
	db := opened(b, pgtest.URL(b), nil)
	for name, first := range map[string]func(tx *pg.Tx) error{
		"batch": func(tx *pg.Tx) error { return tx.Send(b.Context(), queue("SELECT 1", "SELECT 2")) },
		"row": func(tx *pg.Tx) error {
			var n int
			return tx.QueryRow(b.Context(), "SELECT 1").Scan(&n)
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				err := db.InTx(b.Context(), func(tx *pg.Tx) error {
					atEnd(tx, "SELECT 3")
					return first(tx)
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
