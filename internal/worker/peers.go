package worker

import (
	"time"

	"github.com/detent-run/detent/internal/store"
)

// peers remembers what this owner has seen of the others, to tell the dead from the living. No
// clock is compared: an owner is judged by how long its counter has stood still before these eyes.
type peers struct {
	self int64
	seen map[int64]sighting
}

type sighting struct {
	heartbeat int64
	since     time.Time // this process's clock: the heartbeat has stood still since then
	absent    int       // looks in a row without the advisory lock
}

func newPeers(self int64) *peers { return &peers{self: self, seen: map[int64]sighting{}} }

// Dead takes a look in and returns those who are dead by it.
func (p *peers) Dead(look []store.Peer, now time.Time) []store.Peer {
	next := make(map[int64]sighting, len(look))
	var dead []store.Peer
	for _, peer := range look {
		s, known := p.seen[peer.ID]
		if !known || s.heartbeat != peer.Heartbeat {
			s.heartbeat, s.since = peer.Heartbeat, now
		}
		if peer.HadLock && !peer.Present {
			s.absent++
		} else {
			s.absent = 0
		}
		next[peer.ID] = s
		if peer.ID != p.self && (s.absent >= absences || now.Sub(s.since) >= expiry) {
			dead = append(dead, peer)
		}
	}
	p.seen = next
	return dead
}
