DROP TABLE detent.bucket;
DROP TABLE detent.owner_fence;
DROP TABLE detent.owner;
