// Package devdb runs a Postgres for people who have none running: it finds Postgres's programs, makes
// a cluster in a data directory, starts it, and stops it again. The server uses it when no database
// URL was given; the tests use it for the cluster that they share.
//
// # What lies where
//
// Everything is in one directory, the home, which outlives the process:
//
//	postgres/      the cluster (PGDATA), with the generated password in detent.password
//	postgres.log   what Postgres says
//	lock, users    lock files, see below
//	port           where the cluster listened last; it is asked for again, so that URLs stay the same
//
// The cluster is made under another name and renamed when it is complete, so a process that was killed
// in the middle of initdb leaves nothing that a later start could mistake for a cluster.
//
// # How one connects
//
// By TCP on 127.0.0.1 only, with a generated password (scram-sha-256). So the URL that the server
// prints works in psql and in any driver, other accounts of the host get nowhere with it, and the
// length limit of unix socket paths (107 bytes, soon reached by a checkout in a deep directory) is no
// concern, because there is no socket.
//
// # Who stops it
//
// A cluster belongs to its directory, not to the process that started it. Every process that uses it
// holds a shared lock on the file users; the one that leaves last stops Postgres. Starting and
// stopping happen under an exclusive lock on the file lock, so of two processes that start at the same
// time one starts the cluster and the other finds it. The kernel drops the locks of a process that was
// killed. What it leaves behind is a running cluster without users; the next start adopts it if it
// answers, and replaces it if it does not. Postgres runs in a session of its own: an interrupt from the
// terminal reaches us only, and we stop Postgres after our own connections are closed.
//
// A postmaster.pid that names a process which is not a Postgres on this directory (process numbers
// are used again after a reboot) is removed. Should that judgement ever be wrong, Postgres's own second guard,
// the shared memory segment keyed by the directory, still refuses to start.
//
// # Running as root
//
// initdb and postgres refuse to run as root. Then they run as the owner of the existing cluster, or as
// postgres, or as nobody. That account must be able to reach the home. If it cannot, because a parent
// directory is closed to it (a checkout below /root), the home is a directory of /var/lib/detent whose
// name is derived from the path that was asked for, and the log says so. A cluster that is there
// already is used again.
//
// The package imports the standard library and the downloader, nothing of Detent.
package devdb
