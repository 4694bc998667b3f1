DROP TABLE detent.snapshot;
DROP TABLE detent.machine;
