package delivery_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/modelstest"
)

// Mails of steps and those that wait for the workspace's run share one pace: where one of
// them has its turn, neither has another before a tenth of a second has passed.
func TestTurnsOfMailsShareThePace(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	destination := p.mail("eml_1")
	p.lock(destination)
	wait, err := delivery.TakeMailTurn(t.Context(), p.db, sender, destination)
	require.NoError(t, err)
	require.Zero(t, wait)

	p.exec(`UPDATE destinations SET paced_until = paced_until + interval '1 hour'`)
	require.Empty(t, p.claimMails(destination), "the run's mail has to wait")
	wait, err = delivery.TakeMailTurn(t.Context(), p.db, sender, destination)
	require.NoError(t, err)
	require.Greater(t, wait.Minutes(), 59.0)

	p.exec(`UPDATE destinations SET paced_until = NULL`)
	require.Len(t, p.claimMails(destination), 1)
	require.Equal(t, 1, p.number(`SELECT count(*) FROM destinations WHERE paced_until > clock_timestamp() - interval '1 second'`), "a claim takes a turn too")
}

func TestATurnIsTakenOnce(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	destination := p.mail("eml_1")
	// A turn lasts so long here that none of these sees its end.
	p.exec(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.paced_until := NEW.paced_until + interval '1 hour'; RETURN NEW; END $$`)
	p.exec(`CREATE TRIGGER linger BEFORE UPDATE OF paced_until ON destinations FOR EACH ROW EXECUTE FUNCTION linger()`)
	var taken atomic.Int32
	for _, err := range modelstest.AtOnce(20, func(int) error {
		wait, err := delivery.TakeMailTurn(t.Context(), p.db, sender, destination)
		if err == nil && wait == 0 {
			taken.Add(1)
		}
		return err
	}) {
		require.NoError(t, err)
	}
	require.EqualValues(t, 1, taken.Load())
}
