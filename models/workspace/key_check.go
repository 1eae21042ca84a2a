package workspace

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// keyCheckUse is the use of the hash key for the row of the key check.
const keyCheckUse = "redline/canary/v1"

// keyCheckText is what the row of the key check holds.
const keyCheckText = "redline"

// ErrWrongKeys says that the keys of this process cannot read what other processes
// have written.
var ErrWrongKeys = errors.New("the keys of this process do not fit the database")

func keyCheckBinding() secret.Binding {
	return secret.Binding{Table: "secret_canary", Column: "sealed", Row: "1"}
}

// CheckKeys proves that the keys of this process are those of the database:
// they open the row of the key check, and one of the hash keys made its hash. The
// first process ever writes the row. A process must not start when the error is
// ErrWrongKeys; every other error is the database's.
func CheckKeys(ctx context.Context, db *pg.DB, box *secret.Box) error {
	first := keyCheckRow{
		ID: 1, Sealed: box.Seal(keyCheckBinding(), []byte(keyCheckText)),
		Mac: box.MAC(keyCheckUse, []byte("1"), []byte(keyCheckText)), HashKeyID: box.HashKeyID(),
	}
	if err := gorm.G[keyCheckRow](db.Gorm, clause.OnConflict{DoNothing: true}).Create(ctx, &first); err != nil {
		return pg.Translate(err)
	}
	row, err := gorm.G[keyCheckRow](db.Gorm).Where("id = 1").Take(ctx)
	if err != nil {
		return pg.Translate(err)
	}
	return compareKeys(box, row.Sealed, row.Mac, row.HashKeyID)
}

func compareKeys(box *secret.Box, sealed, mac []byte, hashKey string) error {
	if _, err := box.Open(keyCheckBinding(), sealed); err != nil {
		name, nameErr := secret.SealedKeyID(sealed)
		if nameErr != nil {
			return errors.Join(ErrWrongKeys, nameErr)
		}
		return fmt.Errorf("%w: the canary row was sealed with the encryption key %s, which is not here or is another one", ErrWrongKeys, name)
	}
	if !box.Verify(keyCheckUse, mac, []byte("1"), []byte(keyCheckText)) {
		return fmt.Errorf("%w: the canary row was hashed with the hash key %s, which is not here or is another one", ErrWrongKeys, hashKey)
	}
	return nil
}
