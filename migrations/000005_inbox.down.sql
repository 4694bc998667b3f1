DROP TABLE detent.timer;
DROP TABLE detent.inbox;
