package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/store"
)

// Register stores a definition as the next version of that name. The same content again answers with
// the version that has it.
func (e *Engine) Register(ctx context.Context, name string, document []byte, yaml bool) (Registered, error) {
	if err := checkName(name, ""); err != nil {
		return Registered{}, err
	}
	doc, def, err := compile(document, yaml)
	if err != nil {
		return Registered{}, err
	}
	canonical := doc.Source.AppendJSON(nil)
	sum := sha256.Sum256(canonical)
	warnings := warningsOf(doc, def)
	row, created, err := e.db.RegisterDefinition(ctx, store.Definition{
		Namespace: store.Namespace,
		Name:      name,
		Hash:      hex.EncodeToString(sum[:]),
		Document:  canonical,
		Warnings:  marshal(warnings),
	})
	if err != nil {
		return Registered{}, outside(fmt.Errorf("register definition: %w", err))
	}
	return Registered{Name: name, Version: row.Version, Hash: row.Hash, Warnings: warnings, Created: created}, nil
}

// Validate compiles a definition without storing it.
func (e *Engine) Validate(_ context.Context, document []byte, yaml bool) ([]Fault, error) {
	doc, def, err := compile(document, yaml)
	if err != nil {
		return nil, err
	}
	return warningsOf(doc, def), nil
}

// warningsOf adds to the core's warnings what the definition asks for and this runtime does not do yet.
func warningsOf(doc *syntax.Document, def *machine.Definition) []Fault {
	warnings := faultsOf(def.Warnings())
	if doc.Options.Retention != 0 {
		warnings = append(warnings, Fault{
			Pointer: "/options/historyRetention", Code: codeNotSupported,
			Message: "history is not deleted by this version of Detent: it is kept for ever",
		})
	}
	return warnings
}

func compile(document []byte, yaml bool) (*syntax.Document, *machine.Definition, error) {
	decode := syntax.DecodeJSON
	if yaml {
		decode = syntax.DecodeYAML
	}
	doc, err := decode(document)
	if err != nil {
		return nil, nil, invalidDefinition(err)
	}
	def, err := machine.Compile(doc)
	if err != nil {
		return nil, nil, invalidDefinition(err)
	}
	return doc, def, nil
}

func invalidDefinition(err error) error {
	var faults syntax.Faults
	if !errors.As(err, &faults) {
		return &Error{Code: CodeInternal, Message: "the definition could not be read", cause: err}
	}
	told := &Error{Code: CodeInvalidDefinition, Message: fmt.Sprintf("the definition has %s", counted(len(faults), "fault")), Faults: faultsOf(faults)}
	if len(faults) > 0 {
		told.Pointer = faults[0].Pointer
	}
	return told
}

// counted says a number of things: "1 fault", "2 faults".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func faultsOf(list []syntax.Fault) []Fault {
	faults := make([]Fault, len(list))
	for i, f := range list {
		faults[i] = Fault{Pointer: f.Pointer, Code: f.Code, Message: f.Message}
	}
	return faults
}

// marshal writes what cannot fail to be written.
func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("engine: %T: %v", v, err))
	}
	return text
}

// Definitions lists the latest version of every definition, in the order of their names.
func (e *Engine) Definitions(ctx context.Context, pageToken string, limit int) ([]DefinitionView, string, error) {
	after, err := readToken(pageToken, namePattern.MatchString)
	if err != nil {
		return nil, "", err
	}
	limit, err = pageLimit(limit)
	if err != nil {
		return nil, "", err
	}
	rows, err := e.db.Definitions(ctx, store.Namespace, after, limit+1)
	if err != nil {
		return nil, "", outside(fmt.Errorf("list definitions: %w", err))
	}
	rows, more := cut(rows, limit)
	views := definitionViews(rows)
	if !more {
		return views, "", nil
	}
	return views, makeToken(rows[len(rows)-1].Name), nil
}

// Versions lists the versions of one definition, newest first.
func (e *Engine) Versions(ctx context.Context, name, pageToken string, limit int) ([]DefinitionView, string, error) {
	if err := checkName(name, ""); err != nil {
		return nil, "", err
	}
	below, err := readVersionToken(pageToken)
	if err != nil {
		return nil, "", err
	}
	limit, err = pageLimit(limit)
	if err != nil {
		return nil, "", err
	}
	rows, err := e.db.DefinitionVersions(ctx, store.Namespace, name, below, limit+1)
	if err != nil {
		return nil, "", outside(fmt.Errorf("list versions: %w", err))
	}
	if len(rows) == 0 && below == 0 {
		return nil, "", unknownDefinition(name, "")
	}
	rows, more := cut(rows, limit)
	views := definitionViews(rows)
	if !more {
		return views, "", nil
	}
	return views, makeToken(fmt.Sprint(rows[len(rows)-1].Version)), nil
}

// Definition returns one version with its document; version 0 is the latest.
func (e *Engine) Definition(ctx context.Context, name string, version int) (DefinitionView, error) {
	if err := checkName(name, ""); err != nil {
		return DefinitionView{}, err
	}
	row, err := e.definitionRow(ctx, name, version, "", "")
	if err != nil {
		return DefinitionView{}, err
	}
	view := definitionView(row)
	view.Document = row.Document
	return view, nil
}

// definitionRow finds a version and says which of name and version is unknown, and where it was given.
func (e *Engine) definitionRow(ctx context.Context, name string, version int, nameAt, versionAt string) (store.Definition, error) {
	row, err := e.db.Definition(ctx, store.Namespace, name, version)
	if !errors.Is(err, store.ErrNotFound) {
		return row, outside(err)
	}
	if version == 0 {
		return row, unknownDefinition(name, nameAt)
	}
	switch _, err := e.db.Definition(ctx, store.Namespace, name, 0); {
	case errors.Is(err, store.ErrNotFound):
		return row, unknownDefinition(name, nameAt)
	case err != nil:
		return row, outside(err)
	}
	return row, &Error{Code: CodeUnknownVersion, Pointer: versionAt, Message: fmt.Sprintf("definition %s has no version %d", quoted(name), version)}
}

func unknownDefinition(name, pointer string) error {
	return &Error{Code: CodeUnknownDefinition, Pointer: pointer, Message: fmt.Sprintf("there is no definition %s", quoted(name))}
}

func definitionViews(rows []store.Definition) []DefinitionView {
	views := make([]DefinitionView, len(rows))
	for i, r := range rows {
		views[i] = definitionView(r)
	}
	return views
}

func definitionView(r store.Definition) DefinitionView {
	view := DefinitionView{Name: r.Name, Version: r.Version, Hash: r.Hash, CreatedAt: r.CreatedAt, Warnings: []Fault{}}
	if err := json.Unmarshal(r.Warnings, &view.Warnings); err != nil {
		panic(fmt.Sprintf("engine: warnings of %s version %d: %v", r.Name, r.Version, err))
	}
	return view
}
