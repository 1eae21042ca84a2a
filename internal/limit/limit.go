package limit

import (
	"context"
	"math"
	"net/netip"
	"sync"
	"time"

	"github.com/redline-svc/redline/internal/fault"
)

// Class says under which limit an operation's calls are counted.
type Class string

// The classes. None is for operations that count their own uses.
const (
	None      Class = ""
	Key       Class = "key"
	Workspace Class = "workspace"
	Public    Class = "ip"
	// Create is the sliding hour of workspace/create, per client address.
	Create Class = "create"
	// Those of knowledge, each for one operation by itself.
	KnowledgeUpload   Class = "knowledge-upload"
	KnowledgeIngest   Class = "knowledge-ingest"
	KnowledgeStatus   Class = "knowledge-status"
	KnowledgeSearch   Class = "knowledge-search"
	KnowledgeList     Class = "knowledge-list"
	KnowledgeRules    Class = "knowledge-rules"
	KnowledgeDownload Class = "knowledge-download"
	KnowledgeDelete   Class = "knowledge-delete"
	KnowledgeRetry    Class = "knowledge-retry"
	KnowledgeUpdate   Class = "knowledge-update"
	// Those of judgments and of what is known from them, as well.
	JudgmentsQuery  Class = "judgments-query"
	JudgmentsRecord Class = "judgments-record"
	JudgmentsDelete Class = "judgments-delete"
	PatternsGet     Class = "patterns-get"
	MemorySearch    Class = "memory-search"
	MemorySuggest   Class = "memory-suggest"
	MemoryAsk       Class = "memory-ask"
	MemoryStats     Class = "memory-stats"
	MemoryProfiles  Class = "memory-profiles"
	// EndpointTest is for the tests of one webhook endpoint.
	EndpointTest Class = "endpoint-test"
)

// reason is error.details.reason of every refusal for a rate per minute.
const reason = "rate-limit"

// Want is one visit to the shared store for a bucket.
type Want struct {
	// Bucket names the bucket: class and subject.
	Bucket string
	// Capacity is how many tokens it holds and gets per minute.
	Capacity int
	// Overdraw is how far below zero it may go.
	Overdraw int
	// Tokens are taken: all, or as many as there are. Negative gives them back.
	Tokens int
}

// Grant is the store's answer. Left may be below zero, by Overdraw at most.
type Grant struct {
	Tokens int
	Left   float64
}

// Store keeps the buckets and windows that all processes share. Times are its
// own: no clock of a process is asked.
type Store interface {
	// Take borrows tokens from a bucket; a bucket never seen is full.
	Take(ctx context.Context, want Want) (Grant, error)
	// Enter notes one use in a window of that length if fewer than most are in
	// it; else it returns how long until the oldest leaves it.
	Enter(ctx context.Context, window string, length time.Duration, most int) (use int64, wait time.Duration, err error)
	// Leave takes a use back.
	Leave(ctx context.Context, use int64) error
}

// Overrides returns what an operator has set for one workspace instead of the
// default; ok is false where nothing is set. Zero switches the limit off.
type Overrides interface {
	Limit(ctx context.Context, workspaceID, name string) (value int, ok bool, err error)
}

// Limiter holds callers to their rates. It is safe for concurrent use.
type Limiter struct {
	store     Store
	overrides Overrides
	rates     map[Class]int
	now       func() time.Time
	onRefused func(class Class)
	mu        sync.Mutex
	loans     map[string]*loan
	rules     map[rule]ruling
	swept     time.Time
}

// New makes a limiter. Rates are per minute (Create: per hour), zero is off.
// Overrides may be nil.
func New(store Store, overrides Overrides, rates map[Class]int) *Limiter {
	return &Limiter{
		store: store, overrides: overrides, rates: rates, now: time.Now, onRefused: func(Class) {},
		loans: map[string]*loan{}, rules: map[rule]ruling{},
	}
}

// OnRefused has fn called with the class of every call that is refused, for a metric. It
// is set before the first call.
func (l *Limiter) OnRefused(fn func(class Class)) { l.onRefused = fn }

// Take counts one call of class by subject (a key's, a workspace's or an
// address's name); keys of one workspace together have the rate of two, and the hosts of one
// site that of ten. The error is RESOURCE_EXHAUSTED with the time until one call
// passes. Overrides are those of workspaceID, which may be empty.
func (l *Limiter) Take(ctx context.Context, class Class, subject, workspaceID string) error {
	rate, err := l.rate(ctx, class, workspaceID)
	if err != nil || rate == 0 {
		return err
	}
	counted := buckets(class, subject, workspaceID, rate)
	for i, b := range counted {
		wait, err := l.spend(ctx, b.name, b.rate)
		if err == nil && wait == 0 {
			continue
		}
		l.unspend(counted[:i])
		if err != nil {
			return err
		}
		l.onRefused(class)
		return fault.ResourceExhausted(reason, "too many requests; wait and try again", wait)
	}
	return nil
}

// Weigh counts what a call weighs more than one, once that is known: its change is made, so it is
// refused to nobody, but the calls after it wait for so much longer.
func (l *Limiter) Weigh(ctx context.Context, class Class, subject, workspaceID string, more int) error {
	rate, err := l.rate(ctx, class, workspaceID)
	if err != nil || rate == 0 {
		return err
	}
	for _, b := range buckets(class, subject, workspaceID, rate) {
		if _, err := l.store.Take(ctx, Want{Bucket: b.name, Capacity: b.rate, Overdraw: b.rate + more, Tokens: more}); err != nil {
			return err
		}
	}
	return nil
}

// GiveBack returns what a call took that was counted and then refused for what else is
// under way.
func (l *Limiter) GiveBack(class Class, subject, workspaceID string) {
	l.unspend(buckets(class, subject, workspaceID, 0))
}

const (
	// keysOfWorkspace is how many keys' rates a workspace has in all, however many keys.
	keysOfWorkspace = 2
	// hostsOfSite is how many hosts' rates the /48 of an IPv6 address has in all: it is what
	// one site is given (RFC 6177), and holds 65,536 networks of a host.
	hostsOfSite = 10
)

// bucket is one that a call is counted in, with what it gets per minute.
type bucket struct {
	name string
	rate int
}

// buckets are those that a call is counted in: its subject's and, beyond that, that of the
// workspace of a key, or of the site of an address.
func buckets(class Class, subject, workspaceID string, rate int) []bucket {
	found := []bucket{{string(class) + "/" + subject, rate}}
	if workspaceID != "" && workspaceID != subject {
		found = append(found, bucket{string(class) + "/of/" + workspaceID, keysOfWorkspace * rate})
	}
	if site := Site(subject); site != "" {
		found = append(found, bucket{string(class) + "/" + site, hostsOfSite * rate})
	}
	return found
}

// Site is the subject that stands for the /48 of an IPv6 client, given what Address returns;
// empty for all others.
func Site(address string) string {
	prefix, err := netip.ParsePrefix(address)
	if err != nil {
		return ""
	}
	site, _ := prefix.Addr().Prefix(48) // cannot fail: the address is one of IPv6
	return site.String()
}

// Address is the subject that stands for a client address: an IPv6 client is
// its /64, as one host has all of it.
func Address(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	if addr = addr.Unmap(); addr.Is6() {
		prefix, _ := addr.WithZone("").Prefix(64) // cannot fail: 64 bits are there
		return prefix.String()
	}
	return addr.String()
}

// untilOne is the time in which a bucket with left tokens comes to have one
// above its floor.
func untilOne(want Want, left float64) time.Duration {
	missing := 1 - float64(want.Overdraw) - left
	seconds := missing * 60 / float64(want.Capacity)
	return time.Duration(math.Max(seconds, 0)*float64(time.Second)) + 1
}
