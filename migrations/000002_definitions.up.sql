-- Definitions are few and never change: a new text is a new version.

CREATE TABLE detent.definition (
    namespace  text COLLATE "C" NOT NULL CHECK (detent.is_name(namespace)),
    name       text COLLATE "C" NOT NULL CHECK (detent.is_name(name)),
    version    integer          NOT NULL CHECK (version > 0),
    hash       text COLLATE "C" NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
    document   text             NOT NULL,
    warnings   text             NOT NULL,
    created_at timestamptz      NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (namespace, name, version),
    -- The same content registers once.
    CONSTRAINT definition_content UNIQUE (namespace, name, hash)
);
COMMENT ON TABLE detent.definition IS 'A row is one immutable version of a definition.';
COMMENT ON COLUMN detent.definition.namespace IS 'Namespace; "default" until there are more.';
COMMENT ON COLUMN detent.definition.name IS 'Name under which it was registered.';
COMMENT ON COLUMN detent.definition.version IS 'Counts up from 1 for each name.';
COMMENT ON COLUMN detent.definition.hash IS 'Hexadecimal sha256 of the document.';
COMMENT ON COLUMN detent.definition.document IS 'The definition as canonical JSON.';
COMMENT ON COLUMN detent.definition.warnings IS 'JSON array: what was suspicious in it, but not wrong.';
COMMENT ON COLUMN detent.definition.created_at IS 'When it was registered.';
