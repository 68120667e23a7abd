-- Who may write: a zone under the highest epoch that was claimed for it, a character's session under
-- the highest number.

CREATE TABLE zone_epochs (
    zone  TEXT   NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL
);
ALTER TABLE characters ADD COLUMN session_epoch BIGINT NOT NULL DEFAULT 0;
