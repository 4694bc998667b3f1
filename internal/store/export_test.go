package store

// What tests of the package from outside need of its inside.
var (
	MigrateFrom = migrateFrom
	Patience    = patience
)
