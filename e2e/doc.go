// Package e2e holds tests of Detent as its users meet it: real processes, killed with kill -9, real
// HTTP, real Postgres. Only tests live here.
package e2e
