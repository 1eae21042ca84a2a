package notification

// How many notifications one transaction marks, and how many recipients it removes.
const (
	MarkedAtOnce  = markedAtOnce
	EntriesAtOnce = entriesAtOnce
)

// ReadPreferencesStatement is the statement that reads what holds for a document.
const ReadPreferencesStatement = readPreferences
