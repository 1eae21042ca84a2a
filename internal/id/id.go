package id

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// Prefixes of generated ids.
const (
	Workspace   = "ws"
	APIKey      = "ak"
	Owner       = "usr"
	Event       = "evt"
	Message     = "msg"
	Correlation = "corr"
	Attempt     = "att"
	Audit       = "aud"
	Destination = "dst"
	Version     = "dver"
	Trigger     = "trg"
	Endpoint    = "ep"
	Judgment    = "jdg"
	Annotation  = "ann"
	Notice      = "ntf"
	Mail        = "eml"
	Activity    = "act"
	Source      = "src"
	Rule        = "rule"
	Generation  = "gen"
	Migration   = "mig"
	Removal     = "rem"
	Pattern     = "pat"
	Alert       = "alr"
	AgentGroup  = "grp"
	Detection   = "det"
	Recovery    = "rcv"
	UserToken   = "utk"
	Invitation  = "inv"
	// WorkspaceRemoval is the job that removes a workspace.
	WorkspaceRemoval = "wrm"
	// Erasure is the job that forgets people, Pseudonym what comes in their place.
	Erasure   = "era"
	Pseudonym = "deleted"
	// Export is the job that writes what is kept of a person.
	Export = "exp"
	// Fanout is the job that makes the rest of the deliveries of a change.
	Fanout = "fan"
	// Notification is the job that goes on with the notifications of a change.
	Notification = "ntj"
)

// New returns prefix, an underscore and a ULID in lower case.
func New(prefix string) string {
	return prefix + "_" + strings.ToLower(ulid.Make().String())
}

// Series returns n ids of one prefix in ascending order, as made at that time.
func Series(prefix string, at time.Time, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = prefix + "_" + strings.ToLower(ulid.MustNew(ulid.Timestamp(at), ulid.DefaultEntropy()).String())
	}
	slices.Sort(ids)
	return ids
}

// First is below the id of that prefix of everything made at that time or later, and
// above those of before.
func First(prefix string, at time.Time) string {
	var first ulid.ULID
	_ = first.SetTime(uint64(max(0, at.UnixMilli()))) // a time that is too large is that of no id
	return prefix + "_" + strings.ToLower(first.String())
}

// tokenBytes is the strength of a token: 32 random bytes, 43 characters of
// base64url.
const tokenBytes = 32

// Token returns prefix, an underscore and 43 characters of base64url.
func Token(prefix string) string {
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(Random(tokenBytes))
}

// Random returns n bytes from the system's source.
func Random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: the runtime ends the process instead
	return b
}

// Number returns an id that is a number and none of those taken, and takes it. It is positive
// and below 2^53, which every reader of JSON keeps exact.
func Number(taken map[int64]bool) int64 {
	const bits = 53
	for {
		made := int64(binary.BigEndian.Uint64(Random(wordBytes)) >> (64 - bits))
		if made > 0 && !taken[made] {
			taken[made] = true
			return made
		}
	}
}

// wordBytes is how many bytes a number of 64 bits has.
const wordBytes = 8

// executionAlphabet and executionRandom: an execution's id ends in 8
// characters of a-z0-9.
const (
	executionAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	executionRandom   = 8
)

// Execution returns exec_<epoch milliseconds>_<8 of a-z0-9>.
func Execution(at time.Time) string {
	var tail strings.Builder
	size := big.NewInt(int64(len(executionAlphabet)))
	for range executionRandom {
		n, _ := rand.Int(rand.Reader, size) // as above, the source never fails
		tail.WriteByte(executionAlphabet[n.Int64()])
	}
	return fmt.Sprintf("exec_%d_%s", at.UnixMilli(), tail.String())
}

// lastExecution is the last time, in epoch milliseconds, whose executions have
// ids in the order of their times: it has as many digits as today's.
const lastExecution = 9_999_999_999_999

// FirstExecution is below the id of every execution made at that time or later,
// and above the id of every earlier one.
func FirstExecution(at time.Time) string {
	return fmt.Sprintf("exec_%013d_", min(at.UnixMilli(), lastExecution))
}
