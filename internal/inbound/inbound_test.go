package inbound_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/inbound"
)

const secret = "a-secret-of-a-trigger"

// trigger is the one of a definition, as it is read from its snapshot.
func trigger(t testing.TB, more string) *definition.Trigger {
	t.Helper()
	list, err := definition.TriggersOf([]byte(`{"triggers":[{"triggerId":"t"` + more + `}]}`))
	require.NoError(t, err)
	return &list[0]
}

func signed(algorithm func() hash.Hash, body string) string {
	mac := hmac.New(algorithm, []byte(secret))
	_, _ = mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func header(name, value string) http.Header {
	h := http.Header{}
	h.Set(name, value)
	return h
}

func TestProofsOfEveryProvider(t *testing.T) {
	t.Parallel()
	const body = `{"a": 1}`
	sha, short := signed(sha256.New, body), signed(sha1.New, body)
	for _, c := range []struct {
		trigger, name, value string
		proved               bool
	}{
		{`"hmac"`, "x-svc-signature", "sha256=" + sha, true},
		{`"hmac"`, "x-svc-signature", "sha256=" + strings.ToUpper(sha), true},
		{`"hmac"`, "x-svc-signature", sha, false},
		{`"hmac"`, "x-svc-signature", "sha256=" + sha[2:], false},
		{`"hmac"`, "x-svc-signature", "sha256=" + signed(sha256.New, `{"a":1}`), false},
		{`"hmac"`, "x-svc-signature", "sha256=", false},
		{`"hmac"`, "x-svc-signature", "sha256=zz", false},
		{`"hmac"`, "authorization", "Bearer " + secret, false},
		{`"bearer"`, "authorization", "Bearer " + secret, true},
		{`"bearer"`, "authorization", "bearer " + secret, true},
		{`"bearer"`, "authorization", secret, false},
		{`"bearer"`, "authorization", "Bearer " + secret[1:], false},
		{`"bearer"`, "x-svc-signature", "sha256=" + sha, false},
		{`"hmac","provider":"github"`, "x-hub-signature-256", "sha256=" + sha, true},
		{`"hmac","provider":"github"`, "x-hub-signature-256", "sha256=" + strings.ToUpper(sha), true},
		{`"hmac","provider":"github"`, "x-hub-signature-256", "sha1=" + short, false},
		{`"hmac","provider":"github"`, "x-hub-signature-256", sha, false},
		{`"hmac","provider":"vercel"`, "x-vercel-signature", short, true},
		{`"hmac","provider":"vercel"`, "x-vercel-signature", sha, false},
		{`"hmac","provider":"vercel"`, "x-vercel-signature", "sha1=" + short, false},
		{`"hmac","provider":"custom","signatureHeader":"x-sign","signatureAlgorithm":"sha1"`, "x-sign", short, true},
		{`"hmac","provider":"custom","signatureHeader":"x-sign","signatureAlgorithm":"sha256","signaturePrefix":"v1,"`, "x-sign", "v1," + sha, true},
		{`"hmac","provider":"custom","signatureHeader":"x-sign","signatureAlgorithm":"sha256","signaturePrefix":"v1,"`, "x-sign", sha, false},
	} {
		in := trigger(t, `,"inboundWebhook":{"authMode":`+c.trigger+`}`).Inbound
		proof, proved := inbound.Proved(in, secret, header(c.name, c.value), []byte(body))
		require.Equal(t, c.proved, proved, "%+v", c)
		if proved && in.AuthMode != definition.AuthBearer {
			require.Equal(t, strings.ToLower(proof.Signature), proof.Signature)
		}
	}
}

func TestWhatIsTakenFromARequest(t *testing.T) {
	t.Parallel()
	proof := inbound.Proof{Signature: "ab"}
	hashOf := func(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:]) }
	for _, c := range []struct {
		trigger, body string
		want          *inbound.Delivery
	}{
		{``, ` {"type":"go","payload":{"n":9007199254740993}} `, &inbound.Delivery{Event: "go", Key: "trig:t:" + hashOf("ab"), Context: json.RawMessage(`{"n":9007199254740993}`)}},
		{``, `{"type":7,"payload":{}}`, &inbound.Delivery{Key: "trig:t:" + hashOf("ab"), Context: json.RawMessage(`{}`)}},
		{``, `{"type":"go"}`, nil},
		{``, `{"type":"go","payload":[]}`, nil},
		{``, `[{}]`, nil},
		{``, `{}{}`, nil},
		{``, ``, nil},
		{``, strings.Repeat("[", 1<<20), nil},
		{`,"provider":"github"`, `{"a" : 1}`, &inbound.Delivery{Event: "push", Key: "trig:t:" + hashOf("ab"), Context: json.RawMessage(`{"a" : 1}`)}},
		{`,"provider":"vercel"`, `{"type":"deployment.created","payload":{"a":1}}`, &inbound.Delivery{
			Event: "deployment.created", Key: "trig:t:" + hashOf("ab"), Context: json.RawMessage(`{"type":"deployment.created","payload":{"a":1}}`),
		}},
		{`,"provider":"github","payloadMapping":"wrap"`, `{"a":1}`, &inbound.Delivery{Event: "push", Key: "trig:t:" + hashOf("ab"), Context: json.RawMessage(`{"source":{"a":1}}`)}},
		{`,"provider":"custom","idempotencyBodyPath":"a.0.id"`, `{"a":[{"id":12}]}`, &inbound.Delivery{Key: "trig:t:12", Context: json.RawMessage(`{"a":[{"id":12}]}`)}},
		{`,"provider":"custom","idempotencyBodyPath":"a"`, `{"a":"two words"}`, &inbound.Delivery{Key: "trig:t:" + hashOf("two words"), Context: json.RawMessage(`{"a":"two words"}`)}},
		{`,"provider":"custom","idempotencyBodyPath":"a"`, `{"a":""}`, &inbound.Delivery{Key: "trig:t:" + hashOf("ab"), Context: json.RawMessage(`{"a":""}`)}},
		{
			`,"provider":"custom","idempotencyHeader":"x-id","idempotencyBodyPath":"a","eventNameHeader":"x-other"`, `{"a":"b"}`,
			&inbound.Delivery{Key: "trig:t:one", Event: "other", Context: json.RawMessage(`{"a":"b"}`)},
		},
	} {
		h := http.Header{"X-Github-Event": {"push"}, "X-Id": {"one"}, "X-Other": {"other"}}
		got, err := inbound.Read(trigger(t, `,"inboundWebhook":{"authMode":"hmac"`+c.trigger+`}`), proof, h, []byte(c.body))
		if c.want == nil {
			require.ErrorIs(t, err, inbound.ErrBody, "%+v", c)
			continue
		}
		require.NoError(t, err, "%+v", c)
		c.want.Signature = hashOf("t:ab")
		require.Equal(t, c.want, got)
	}
}

func TestARequestWithTheSecretItselfIsNewEachTime(t *testing.T) {
	t.Parallel()
	got, err := inbound.Read(trigger(t, `,"inboundWebhook":{"authMode":"bearer"}`), inbound.Proof{}, http.Header{}, []byte(`{"payload":{}}`))
	require.NoError(t, err)
	require.Empty(t, got.Key)
}

func TestALongIDIsHashedWithinTheLimitOfKeys(t *testing.T) {
	t.Parallel()
	for n, whole := range map[int]bool{193: true, 194: false} {
		got, err := inbound.Read(trigger(t, `,"inboundWebhook":{"authMode":"hmac","idempotencyHeader":"x-id"}`), inbound.Proof{},
			header("x-id", strings.Repeat("a", n)), []byte(`{"payload":{}}`))
		require.NoError(t, err)
		require.Equal(t, whole, strings.HasSuffix(got.Key, ":"+strings.Repeat("a", n)), got.Key)
		require.LessOrEqual(t, len(got.Key), 200)
	}
}

func TestWhatPasses(t *testing.T) {
	t.Parallel()
	const events = `,"inboundWebhook":{"authMode":"hmac","allowedEvents":["go"]}`
	for _, c := range []struct {
		trigger, event, context string
		passes                  bool
	}{
		{`,"inboundWebhook":{}`, "", `{}`, true},
		{events, "go", `{}`, true},
		{events, "stop", `{}`, false},
		{events, "", `{}`, false},
		{`,"inboundWebhook":{},"filters":{"a.b":1.0,"c":["x",null]}`, "", `{"a":{"b":1},"c":"x"}`, true},
		{`,"inboundWebhook":{},"filters":{"a.b":1.0,"c":["x",null]}`, "", `{"a":{"b":1}}`, true},
		{`,"inboundWebhook":{},"filters":{"a.b":1.0,"c":["x",null]}`, "", `{"a":{"b":2},"c":"x"}`, false},
		{`,"inboundWebhook":{},"filters":{"a":9007199254740993}`, "", `{"a":9007199254740992}`, false},
		{`,"inboundWebhook":{},"filters":{"a":["x"]}`, "", `{"a":["x"]}`, false},
	} {
		d := &inbound.Delivery{Event: c.event, Context: json.RawMessage(c.context)}
		require.Equal(t, c.passes, d.Passes(trigger(t, c.trigger)), "%+v", c)
	}
}

func TestWhiteSpaceIsNotPartOfAContextsSize(t *testing.T) {
	t.Parallel()
	const inside = inbound.MaxContext - len(`{"a":""}`)
	for text, fits := range map[string]bool{
		`{"a":"` + strings.Repeat("x", inside) + `"}`:                     true,
		`{"a":  "` + strings.Repeat("x", inside) + `"}`:                   true,
		`{"a":"` + strings.Repeat("x", inside+1) + `"}`:                   false,
		`{"a":"` + strings.Repeat(" ", inside+1) + `"}`:                   false,
		`{` + strings.Repeat(" ", 2*inbound.MaxContext) + `"a":"` + `x"}`: true,
	} {
		require.Equal(t, fits, (&inbound.Delivery{Context: json.RawMessage(text)}).Fits())
	}
}

func TestIDsInABody(t *testing.T) {
	t.Parallel()
	require.Equal(t, inbound.Names{DefinitionID: "d", TriggerID: "t"}, inbound.Named([]byte(` {"definitionId":"d","triggerId":"t","payload":{}}`)))
	for _, body := range []string{``, `[]`, `{"definitionId":1}`, `{"definitionId":"d"`, `{"definitionId":"\ud800"}x`} {
		require.Empty(t, inbound.Named([]byte(body)).DefinitionID, body)
	}
}

// FuzzBody holds what a stranger or a sender may put into a body: whatever it is, it
// is refused or gives a context that is an object and a key that fits.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"type":"go","payload":{"a":{"b":[1,"x"]}},"definitionId":"d","triggerId":"t"}`, `{"payload":{"payload":null}}`,
		`{"payload":{},"payload":[]}`, "{\"payload\":{\"a\":\"\\u0000\xff\"}}", `{"id":1e999999999,"payload":{}}`, "\xef\xbb\xbf{}", `{"id":{},"payload":{}} {}`,
	} {
		f.Add([]byte(body), "go")
	}
	triggers := []*definition.Trigger{
		trigger(f, `,"filters":{"a.b.1":["x",1]},"inboundWebhook":{"authMode":"hmac","idempotencyBodyPath":"id"}`),
		trigger(f, `,"filters":{"source.payload.a":{"b":2}},"inboundWebhook":{"authMode":"hmac","provider":"github","payloadMapping":"wrap","allowedEvents":["go"]}`),
		trigger(f, `,"inboundWebhook":{"authMode":"bearer","idempotencyBodyPath":"payload.a.b.0"}`),
	}
	f.Fuzz(func(t *testing.T, body []byte, event string) {
		inbound.Named(body)
		for _, each := range triggers {
			d, err := inbound.Read(each, inbound.Proof{Signature: "ab"}, header("x-github-event", event), body)
			if err != nil {
				require.ErrorIs(t, err, inbound.ErrBody)
				continue
			}
			d.Passes(each)
			d.Fits()
			require.Regexp(t, `^trig:t:[A-Za-z0-9:_.-]{1,193}$`, d.Key)
			require.True(t, json.Valid(d.Context))
			require.Equal(t, byte('{'), d.Context[0])
		}
	})
}
