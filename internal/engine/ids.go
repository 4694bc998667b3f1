package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/detent-run/detent/internal/machine"
)

// Event ids carry their source in their first letters; no two sources can make the same id.
const (
	callerPrefix  = "c:"  // given by the caller, or made for one who gave none
	timerPrefix   = "t:"  // seq that armed it, number of the timer
	messagePrefix = "m:"  // another machine
	taskPrefix    = "k:"  // work outside
	startEventID  = "i:1" // the machine's start
)

func timerEventID(t *machine.Timer) string {
	return fmt.Sprintf("%s%d.%d", timerPrefix, t.Seq, t.No)
}

// Limits of names.
const (
	maxID   = 200
	maxName = 100
)

var (
	idPattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}$`)
	namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
)

func checkMachineID(id, pointer string) error {
	if idPattern.MatchString(id) {
		return nil
	}
	return &Error{Code: CodeInvalidID, Pointer: pointer, Message: fmt.Sprintf(
		"machine id %s: an id is 1 to %d of A-Z a-z 0-9 . _ : @ - and begins with a letter or a digit", quoted(id), maxID)}
}

func checkName(name, pointer string) error {
	if namePattern.MatchString(name) {
		return nil
	}
	return &Error{Code: CodeInvalidID, Pointer: pointer, Message: fmt.Sprintf(
		"definition name %s: a name is 1 to %d of A-Z a-z 0-9 . _ - and begins with a letter or a digit", quoted(name), maxName)}
}

// checkKey holds a key that a caller chose for an event or a request to its form.
func checkKey(key, pointer string) error {
	ok := len(key) >= 1 && len(key) <= maxID
	for i := 0; ok && i < len(key); i++ {
		ok = key[i] > ' ' && key[i] < 0x7f
	}
	if ok {
		return nil
	}
	return &Error{Code: CodeInvalidID, Pointer: pointer, Message: fmt.Sprintf(
		"idempotency key %s: a key is 1 to %d visible ASCII characters", quoted(key), maxID)}
}

// quoted shows a text from outside in a message, shortened.
func quoted(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q... (%d bytes)", strings.ToValidUTF8(s[:most], "?"), len(s))
	}
	return fmt.Sprintf("%q", s)
}

// newID returns an id that nobody else has.
func newID() string { return strings.ToLower(rand.Text()) }

// derivedID returns the machine id that belongs to an idempotency key: the same for the same key,
// so that both lie in one bucket.
func derivedID(key string) string {
	sum := sha256.Sum256([]byte("create\x00" + key))
	return hex.EncodeToString(sum[:16])
}
