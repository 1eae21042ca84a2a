package api

import (
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models"
)

// endpointTests is how many tests an endpoint takes in a minute.
const endpointTests = 10

// NewLimiter makes the limiter of calls with the configured rates; what it refuses
// is counted by the metrics.
func NewLimiter(stores *models.Stores, r config.Rates, metrics *telemetry.Metrics) *limit.Limiter {
	limiter := limit.New(stores.RateLimits, stores.Limits, Rates(r))
	limiter.OnRefused(func(class limit.Class) { metrics.RateLimited(string(class)) })
	return limiter
}

// Rates are the configured calls by the class of an operation; 0 is no limit.
func Rates(r config.Rates) map[limit.Class]int {
	return map[limit.Class]int{
		limit.Key: r.Key, limit.Workspace: r.Workspace, limit.Public: r.IP, limit.Create: r.Create,
		limit.KnowledgeUpload: r.MemoryUpload, limit.KnowledgeIngest: r.MemoryWrite,
		limit.KnowledgeUpdate: r.MemoryWrite,
		limit.KnowledgeStatus: r.MemoryStatus, limit.KnowledgeSearch: r.MemoryRead,
		limit.KnowledgeList: r.MemoryRead, limit.KnowledgeRules: r.MemoryRead, limit.KnowledgeDownload: r.MemoryRead,
		limit.KnowledgeDelete: r.MemoryWrite, limit.KnowledgeRetry: r.MemoryWrite,
		limit.JudgmentsQuery: r.MemoryQuery, limit.JudgmentsRecord: r.MemoryRead, limit.JudgmentsDelete: r.MemoryRead,
		limit.MemorySearch: r.MemoryRead, limit.MemorySuggest: r.MemorySuggest, limit.MemoryStats: r.MemorySuggest, limit.MemoryProfiles: r.MemorySuggest,
		limit.MemoryAsk: r.MemoryWrite, limit.PatternsGet: r.MemoryRead,
		limit.EndpointTest: endpointTests,
	}
}
