DROP TABLE detent.dead_letter;
DROP TABLE detent.history_entry;
