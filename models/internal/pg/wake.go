package pg

// Topic is a kind of work that a commit may leave for somebody who waits.
type Topic string

// Wake names who has something to do: some of a topic, or, where IDs is nil, the
// topic as a whole.
type Wake struct {
	Topic Topic
	IDs   []string
}

// OnCommit sets who hears of the wakes of transactions. It is called on the
// committing goroutine, so it must not block.
func (db *DB) OnCommit(hear func(wakes []Wake)) { db.hear.Store(&hear) }

// notify passes wakes on, once the rows that they speak of are committed.
func (db *DB) notify(wakes []Wake) {
	if hear := db.hear.Load(); hear != nil && len(wakes) > 0 {
		(*hear)(wakes)
	}
}

// Wake wakes ids of a topic after a statement that needed no transaction; no ids
// is nothing.
func (db *DB) Wake(topic Topic, ids ...string) {
	if len(ids) > 0 {
		db.notify([]Wake{{topic, ids}})
	}
}

// WakeAll wakes a topic as a whole after a statement that needed no transaction.
func (db *DB) WakeAll(topic Topic) { db.notify([]Wake{{Topic: topic}}) }
