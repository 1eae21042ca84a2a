package ingestion

import (
	"context"
	"maps"
	"time"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

// plain converts texts in this process.
type plain struct{}

func (plain) Convert(_ context.Context, file []byte) (extract.Document, error) {
	return extract.Text(file)
}

// inProcess makes activities that read texts in this process.
func inProcess(p Parts) *Activities {
	converters := map[string]Converter{extract.TypeText: plain{}, knowledge.TypeMarkdown: plain{}}
	maps.Copy(converters, p.Converters)
	p.Converters, p.Drawing = converters, knowledge.Drawing{Runner: modelstest.InProcess{}}
	p.Patience = 6 * time.Hour
	return New(p)
}
