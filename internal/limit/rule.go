package limit

import (
	"context"
	"time"
)

// ruleTime is how long an operator's setting may go unnoticed.
const ruleTime = 5 * time.Second

type rule struct {
	class       Class
	workspaceID string
}

type ruling struct {
	rate  int
	until time.Time
}

// rate is the limit that holds for a workspace's calls of a class.
func (l *Limiter) rate(ctx context.Context, class Class, workspaceID string) (int, error) {
	usual := l.rates[class]
	if l.overrides == nil || workspaceID == "" || class == None {
		return usual, nil
	}
	asked, now := rule{class, workspaceID}, l.now()
	l.mu.Lock()
	known, ok := l.rules[asked]
	l.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.rate, nil
	}
	value, set, err := l.overrides.Limit(ctx, workspaceID, string(class))
	if err != nil {
		return 0, err
	}
	if !set {
		value = usual
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgetRules(now)
	l.rules[asked] = ruling{rate: value, until: now.Add(ruleTime)}
	return value, nil
}

// forgetRules drops what is out of date, so that idle workspaces cost nothing.
func (l *Limiter) forgetRules(now time.Time) {
	if now.Sub(l.swept) < ruleTime {
		return
	}
	l.swept = now
	for asked, known := range l.rules {
		if now.After(known.until) {
			delete(l.rules, asked)
		}
	}
}
