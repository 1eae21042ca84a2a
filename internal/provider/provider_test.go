package provider

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/guard"
)

var now = time.UnixMilli(1_700_000_000_000)

// said is what a provider that answers so says of ann.
func said(response *guard.Response, err error) Access {
	a := &Asker{post: func(context.Context, string, guard.Request) (*guard.Response, error) { return response, err }}
	return a.Ask(context.Background(), Provider{}, Question{OrganizationID: "acme", DocumentID: "d", UserIDs: []string{"ann"}}, now)["ann"]
}

func answered(body string) *guard.Response { return &guard.Response{Status: 200, Body: []byte(body)} }

const yes = `{"userId":"ann","resourceId":"d","type":"document","organizationId":"acme","hasAccess":true}`

func TestOnlyAClearYesIsOne(t *testing.T) {
	t.Parallel()
	long := answered(`{"data":[` + yes + `]}`)
	long.Truncated = true
	broken := answered(`{"data":[` + yes + `]}`)
	broken.BodyErr = errors.New("it broke off")
	created := answered(`{"data":[` + yes + `]}`)
	created.Status = 201
	informal := answered(`{"data":[` + yes + `]}`)
	informal.Status = 304
	for name, c := range map[string]struct {
		response *guard.Response
		err      error
		want     Access
	}{
		"yes":                {answered(`{"data":[` + yes + `],"more":1}`), nil, Allowed},
		"created":            {created, nil, Allowed},
		"another status":     {informal, nil, Unknown},
		"no answer":          {nil, errors.New("away"), Unknown},
		"too long":           {long, nil, Unknown},
		"broken off":         {broken, nil, Unknown},
		"no JSON":            {answered(`yes`), nil, Unknown},
		"a list":             {answered(`[` + yes + `]`), nil, Unknown},
		"an entry no object": {answered(`{"data":[` + yes + `,1]}`), nil, Unknown},
		"no entries":         {answered(`{"data":null}`), nil, Unknown},
		"yes and no":         {answered(`{"data":[` + yes + `,{"userId":"ann","resourceId":"d","type":"document","organizationId":"acme","hasAccess":false}]}`), nil, Denied},
		"no and yes":         {answered(`{"data":[{"userId":"ann","resourceId":"d","type":"document","organizationId":"acme","hasAccess":false},` + yes + `]}`), nil, Denied},
		"access ends now":    {answered(`{"data":[{"userId":"ann","resourceId":"d","type":"document","organizationId":"acme","hasAccess":true,"expiresAt":1700000000000}]}`), nil, Denied},
		"access ends":        {answered(`{"data":[{"userId":"ann","resourceId":"d","type":"document","organizationId":"acme","hasAccess":true,"expiresAt":1700003600000}]}`), nil, Allowed},
	} {
		require.Equal(t, c.want, said(c.response, c.err), name)
	}
}

// Whoever has many asked at once must not take the memory of others by long answers.
func TestALongAnswerTakesLittleMoreMemoryThanItself(t *testing.T) { //nolint:paralleltest // it measures what is allocated
	long := answered(`{"data":[` + strings.Repeat(`{},`, answerLimit/4) + yes + `]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Equal(t, Allowed, said(long, nil))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*answerLimit))
}
