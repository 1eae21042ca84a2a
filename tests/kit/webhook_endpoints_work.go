package kit

// ScopeData is the metadata of a message.
type ScopeData struct {
	APIKey       string                                  `json:"apiKey"`
	Organization *struct{ OrganizationID string }        `json:"organization"`
	Document     *struct{ DocumentID, DocumentName any } `json:"document"`
}

// IngestEnded is the data of the message that the ingestion of a source has ended.
type IngestEnded struct {
	SourceID              string
	Version               int
	Status                string
	MimeType, FileName    string
	ChunkCount, RuleCount int
	Error                 *struct{ Code, Message string }
	Metadata              ScopeData
}
