package devdb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// fallbackRoot is where root keeps clusters whose asked-for directory Postgres cannot reach.
const fallbackRoot = "/var/lib/detent"

// account is whom Postgres's programs run as.
type account struct {
	name     string
	uid, gid uint32
	drop     bool // we are root, and must become this account first
}

// ownAccount is the account of this process, which is not root.
func ownAccount() account {
	return account{name: "uid " + strconv.Itoa(os.Geteuid()), uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
}

// unprivileged returns the account that root runs Postgres as. Every system has the number 65534
// free for nobody, whether or not it is listed.
func unprivileged() account {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if errUID == nil && errGID == nil && uid != 0 {
			return account{name: name, uid: uint32(uid), gid: uint32(gid), drop: true}
		}
	}
	return account{name: "uid 65534", uid: 65534, gid: 65534, drop: true}
}

// ownerOf returns the account that owns an existing cluster, and reports false when there is none or
// when it is root's, which Postgres would refuse.
func ownerOf(home string) (account, bool) {
	info, err := os.Stat(filepath.Join(home, clusterName))
	if err != nil {
		return account{}, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Uid == 0 {
		return account{}, false
	}
	return account{name: "uid " + strconv.Itoa(int(st.Uid)), uid: st.Uid, gid: st.Gid, drop: true}, true
}

// command prepares a program to run as the account. A session of its own keeps the terminal's
// signals away from it; the environment loses what would steer Postgres from outside.
func (a account) command(dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") && !strings.HasPrefix(v, "HOME=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return cmd
}

// reaches reports, by trying, whether the account can enter the directory. Computing it from mode bits would
// miss access lists and mounts. The shell is there: initdb needs it too.
func (a account) reaches(dir string) (bool, error) {
	err := a.command(dir, "/bin/sh", "-c", ":").Run()
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrPermission) && a.drop:
		// A process that may not change its user gets the same errno, so look whether that is the cause.
		if err := a.command("/", "/bin/sh", "-c", ":").Run(); err != nil {
			return false, fmt.Errorf("run a program as %s, because Postgres refuses to run as root: %w", a.name, err)
		}
		return false, nil
	default:
		return false, fmt.Errorf("enter %s as %s: %w", dir, a.name, err)
	}
}

// give hands a file or directory over to the account.
func (a account) give(path string) error {
	if !a.drop {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

// settle decides where the home is and whom Postgres runs as, and makes the home.
func settle(dir string, log logger) (string, account, error) {
	home, err := filepath.Abs(dir)
	if err != nil {
		return "", account{}, err
	}
	if os.Geteuid() != 0 {
		if err := os.MkdirAll(home, 0o700); err != nil {
			return "", account{}, fmt.Errorf("make the data directory: %w", err)
		}
		if home, err = filepath.EvalSymlinks(home); err != nil {
			return "", account{}, err
		}
		return home, ownAccount(), checkReadable(home)
	}
	fallback := fallbackHome(home)
	if !hasCluster(home) && hasCluster(fallback) {
		home = fallback
	}
	who, found := ownerOf(home)
	if !found {
		who = unprivileged()
	}
	if err := makeHome(home); err != nil {
		return "", account{}, err
	}
	if home, err = filepath.EvalSymlinks(home); err != nil { // one cluster, one name: it is looked for in command lines
		return "", account{}, err
	}
	reachable, err := who.reaches(home)
	switch {
	case err != nil:
		return "", account{}, err
	case reachable:
		return home, who, nil
	case hasCluster(home):
		return "", account{}, fmt.Errorf("the cluster in %s cannot be reached by %s, whom Postgres runs as because it refuses root: open the directories above it (chmod a+x)", home, who.name)
	}
	log.Info("Postgres refuses to run as root, and the account that it runs as cannot reach the data directory; the cluster is elsewhere",
		"account", who.name, "asked", home, "used", fallback)
	if err := makeHome(fallback); err != nil {
		return "", account{}, fmt.Errorf("%s cannot reach %s, and the directory to use instead cannot be made: %w", who.name, home, err)
	}
	return fallback, who, nil
}

// fallbackHome derives a home from the asked-for one: the same path always gives the same home.
func fallbackHome(home string) string {
	sum := sha256.Sum256([]byte(home))
	name := strings.Trim(filepath.Base(filepath.Dir(home)), "./")
	return filepath.Join(fallbackRoot, name+"-"+hex.EncodeToString(sum[:6]))
}

// makeHome makes a directory of root's that others can pass through to the cluster, but not list.
func makeHome(home string) error {
	if _, err := os.Stat(home); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	if err := os.Mkdir(home, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the data directory: %w", err)
	}
	return os.Chmod(home, 0o711) // whatever the umask says
}

// checkReadable refuses a home whose cluster belongs to somebody else, with more help than the
// "permission denied" that would come later.
func checkReadable(home string) error {
	_, err := os.Stat(filepath.Join(home, clusterName, versionFile))
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the cluster in %s belongs to another account: run as that account (or as root), or choose another data directory: %w", home, err)
	}
	return nil
}

// hasCluster reports whether a complete cluster is in the home.
func hasCluster(home string) bool {
	_, err := os.Stat(filepath.Join(home, clusterName, versionFile))
	return err == nil
}
