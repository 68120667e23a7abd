-- Times are milliseconds since 1970 UTC. Name keys are lower case. Numbers of rows are never used
-- twice (AUTOINCREMENT): a destroyed item's number must not come back as another item.

CREATE TABLE accounts (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT    NOT NULL,
    name_key      TEXT    NOT NULL UNIQUE,
    password_hash TEXT    NOT NULL,
    role          TEXT    NOT NULL DEFAULT 'player' CHECK (role IN ('player', 'staff')),
    created_at    BIGINT  NOT NULL,
    last_login    BIGINT
);

CREATE TABLE characters (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    name           TEXT   NOT NULL,
    name_key       TEXT   NOT NULL UNIQUE,
    room_key       TEXT   NOT NULL,
    steps          BIGINT NOT NULL DEFAULT 0,
    played_seconds BIGINT NOT NULL DEFAULT 0,
    settings       TEXT   NOT NULL DEFAULT '{}',
    created_at     BIGINT NOT NULL,
    saved_at       BIGINT NOT NULL
);
CREATE INDEX characters_account ON characters (account_id);

-- The owner is a room's key, or the number of a character or of an item that contains this one.
CREATE TABLE items (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    prototype  TEXT   NOT NULL,
    owner_kind TEXT   NOT NULL CHECK (owner_kind IN ('room', 'character', 'container')),
    owner      TEXT   NOT NULL,
    origin     TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX items_owner ON items (owner_kind, owner);

CREATE TABLE bans (
    kind      TEXT   NOT NULL CHECK (kind IN ('account', 'address', 'character')),
    value     TEXT   NOT NULL,
    reason    TEXT   NOT NULL,
    banned_by TEXT   NOT NULL,
    banned_at BIGINT NOT NULL,
    until     BIGINT,
    PRIMARY KEY (kind, value)
);

-- One token per character: a new one replaces the one before it.
CREATE TABLE resume_tokens (
    character_id BIGINT PRIMARY KEY REFERENCES characters (id),
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    hash         TEXT   NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX resume_tokens_account ON resume_tokens (account_id);

CREATE TABLE staff_actions (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    staff    TEXT   NOT NULL,
    action   TEXT   NOT NULL,
    target   TEXT   NOT NULL,
    reason   TEXT   NOT NULL,
    acted_at BIGINT NOT NULL
);

-- One row. The number of the last group that was committed: after a commit whose outcome is not
-- known it tells whether that group is in.
CREATE TABLE commit_groups (
    id     BIGINT PRIMARY KEY CHECK (id = 1),
    number BIGINT NOT NULL
);
INSERT INTO commit_groups (id, number) VALUES (1, 0);
