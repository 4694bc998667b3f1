DROP TABLE detent.definition;
