package pg

// Topic is a kind of work that a commit may leave for somebody who waits.
type Topic string

// Hint names who has something to do: some of a topic, or, where IDs is nil, the
// topic as a whole.
type Hint struct {
	Topic Topic
	IDs   []string
}

// OnCommit sets who hears of the hints of transactions. It is called on the
// committing goroutine, so it must not block.
func (db *DB) OnCommit(hear func(hints []Hint)) { db.hear.Store(&hear) }

// pass passes hints on, once the rows that they speak of are committed.
func (db *DB) pass(hints []Hint) {
	if hear := db.hear.Load(); hear != nil && len(hints) > 0 {
		(*hear)(hints)
	}
}

// Notify notifies ids of a topic after a statement that needed no transaction; no ids
// is nothing.
func (db *DB) Notify(topic Topic, ids ...string) {
	if len(ids) > 0 {
		db.pass([]Hint{{topic, ids}})
	}
}

// NotifyAll notifies a topic as a whole after a statement that needed no transaction.
func (db *DB) NotifyAll(topic Topic) { db.pass([]Hint{{Topic: topic}}) }
