package models

import (
	"context"
	"errors"
	"fmt"

	"github.com/redline-svc/redline/internal/secret"
)

// canaryUse is the use of the hash key for the canary row.
const canaryUse = "redline/canary/v1"

// canaryText is what the canary row holds.
const canaryText = "redline"

// ErrWrongKeys is a process whose keys cannot read what others have written.
var ErrWrongKeys = errors.New("the keys of this process do not fit the database")

func canaryPlace() secret.Binding {
	return secret.Binding{Table: "secret_canary", Column: "sealed", Row: "1"}
}

// CheckCanary proves that the keys of this process are those of the database:
// they open the canary row, and one of the hash keys made its hash. The first
// process ever writes the row. A process must not start when the error is
// ErrWrongKeys; every other error is the database's.
func CheckCanary(ctx context.Context, db *DB, box *secret.Box) error {
	_, err := db.Pool.Exec(ctx, `
		INSERT INTO secret_canary (id, sealed, mac, hash_key_id)
		SELECT 1, $1, $2, $3 WHERE NOT EXISTS (SELECT FROM secret_canary)
		ON CONFLICT DO NOTHING`,
		box.Seal(canaryPlace(), []byte(canaryText)), box.MAC(canaryUse, []byte("1"), []byte(canaryText)), box.HashKeyID())
	if err != nil {
		return Translate(err)
	}
	var sealed, mac []byte
	var hashKey string
	err = db.Pool.QueryRow(ctx, `SELECT sealed, mac, hash_key_id FROM secret_canary`).Scan(&sealed, &mac, &hashKey)
	if err != nil {
		return Translate(err)
	}
	return judgeCanary(box, sealed, mac, hashKey)
}

func judgeCanary(box *secret.Box, sealed, mac []byte, hashKey string) error {
	if _, err := box.Open(canaryPlace(), sealed); err != nil {
		name, nameErr := secret.SealedKeyID(sealed)
		if nameErr != nil {
			return errors.Join(ErrWrongKeys, nameErr)
		}
		return fmt.Errorf("%w: the canary row was sealed with the encryption key %s, which is not here or is another one", ErrWrongKeys, name)
	}
	if !box.Verify(canaryUse, mac, []byte("1"), []byte(canaryText)) {
		return fmt.Errorf("%w: the canary row was hashed with the hash key %s, which is not here or is another one", ErrWrongKeys, hashKey)
	}
	return nil
}
