-- The clusters that were founded on this database, one after the other. Each writes under epochs
-- above those of all before it. Mark: the data directory of its first node, in hexadecimal.

CREATE TABLE clusters (
    generation BIGINT NOT NULL PRIMARY KEY,
    mark       TEXT   NOT NULL UNIQUE
);
