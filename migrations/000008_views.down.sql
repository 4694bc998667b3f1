DROP VIEW detent.history;
DROP VIEW detent.machines;
DROP VIEW detent.definitions;
