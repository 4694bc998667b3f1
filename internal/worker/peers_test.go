package worker

import (
	"testing"
	"time"

	"github.com/detent-run/detent/internal/store"
)

func TestPeersDead(t *testing.T) {
	t.Parallel()
	start := time.Now()
	type look struct {
		after time.Duration
		peers []store.Peer
		dead  []int64
	}
	self := store.Peer{ID: 1}
	for name, looks := range map[string][]look{
		"a heartbeat that moves is life, whatever the time": {
			{0, []store.Peer{self, {ID: 2, Heartbeat: 1}}, nil},
			{time.Minute, []store.Peer{self, {ID: 2, Heartbeat: 2}}, nil},
		},
		"a heartbeat that stands still for as long as expiry is death": {
			{0, []store.Peer{self, {ID: 2, Heartbeat: 7}}, nil},
			{expiry - 1, []store.Peer{self, {ID: 2, Heartbeat: 7}}, nil},
			{expiry, []store.Peer{self, {ID: 2, Heartbeat: 7}}, []int64{2}},
		},
		"the time counts from the first sight, not from before": {
			{0, []store.Peer{self}, nil},
			{time.Hour, []store.Peer{self, {ID: 2, Heartbeat: 7}}, nil},
		},
		"an absent lock is death at the second look": {
			{0, []store.Peer{self, {ID: 2, Heartbeat: 1, HadLock: true}}, nil},
			{1, []store.Peer{self, {ID: 2, Heartbeat: 1, HadLock: true}}, []int64{2}},
		},
		"a lock that comes back is life": {
			{0, []store.Peer{self, {ID: 2, Heartbeat: 1, HadLock: true}}, nil},
			{1, []store.Peer{self, {ID: 2, Heartbeat: 1, HadLock: true, Present: true}}, nil},
			{2, []store.Peer{self, {ID: 2, Heartbeat: 1, HadLock: true}}, nil},
		},
		"an owner that never held the lock is judged by its heartbeat alone": {
			{0, []store.Peer{self, {ID: 2, Heartbeat: 1}}, nil},
			{1, []store.Peer{self, {ID: 2, Heartbeat: 1}}, nil},
			{2, []store.Peer{self, {ID: 2, Heartbeat: 1}}, nil},
		},
		"nobody buries himself": {
			{0, []store.Peer{{ID: 1, HadLock: true}}, nil},
			{2 * expiry, []store.Peer{{ID: 1, HadLock: true}}, nil},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeers(1)
			for i, l := range looks {
				var got []int64
				for _, d := range p.Dead(l.peers, start.Add(l.after)) {
					got = append(got, d.ID)
				}
				if len(got) != len(l.dead) || len(got) == 1 && got[0] != l.dead[0] {
					t.Fatalf("look %d: dead are %v, want %v", i, got, l.dead)
				}
			}
		})
	}
}

func TestFairShare(t *testing.T) {
	t.Parallel()
	for owners := range 9 {
		share := fairShare(make([]store.Peer, owners))
		if n := max(1, owners); share*n < store.Buckets || (share-1)*n >= store.Buckets {
			t.Errorf("%d owners: a share of %d is not the least that covers %d buckets", owners, share, store.Buckets)
		}
	}
}
