// Package syntax reads a definition document strictly: every key is known, every value has its
// type, and everything keeps the JSON pointer of its place, so that later faults can name it.
//
// It decides what can be told from the document alone. Whether a target, a guard or an actor that a
// name refers to exists, and whether an expression parses, is decided by package machine, which
// compiles a [Document] and knows nothing of spellings: XState's long ones ({"type": "xstate.raise"}),
// one thing or an array of them, a text or an object, "1e3" or "1000" all look the same to it.
//
// # Faults
//
// A document is read to its end whatever is wrong with it, and all [Faults] are told at once, in the
// order of the document. Each names its place, what is there, what was expected, and the nearest
// known name where a name is not known. A key of XState v4 is answered with the spelling of v5. Nothing
// is silently ignored: a key that XState would overlook, such as output on a state that is not
// final, is a fault as well. Only keys that begin with x-, $schema and types belong to the author.
//
// # How it is read
//
// For each kind of object there is one function that reads its members in a switch, and a vocabulary
// from which messages about all other keys are made. Where an object is one of several forms and its
// key says which, as with actions and guards, the decoder looks for that key first. The order of keys
// is the document's, but for states, on and after, where it decides which transition wins: these are
// read in JavaScript's order, as XState reads them.
//
// # JSON and YAML
//
// Both become a [value.Value] first, so that there is one decoder. Of YAML only what JSON has is
// taken, since what is convenient in YAML differs between its readers.
package syntax
