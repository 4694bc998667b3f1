DROP VIEW detent.buckets;
DROP VIEW detent.owners;
DROP VIEW detent.dead_letters;
DROP VIEW detent.inboxes;
DROP VIEW detent.timers;
