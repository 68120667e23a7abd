-- Times are milliseconds since 1970 UTC. Name keys are lower case. Numbers of rows are never used
-- twice (IDENTITY): a destroyed item's number must not come back as another item. Texts are ordered
-- and compared by their bytes, as in SQLite.

CREATE TABLE accounts (
    id            BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name          TEXT COLLATE "C" NOT NULL,
    name_key      TEXT COLLATE "C" NOT NULL UNIQUE,
    password_hash TEXT COLLATE "C" NOT NULL,
    role          TEXT COLLATE "C" NOT NULL DEFAULT 'player' CHECK (role IN ('player', 'staff')),
    created_at    BIGINT  NOT NULL,
    last_login    BIGINT
);

CREATE TABLE characters (
    id             BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    name           TEXT COLLATE "C" NOT NULL,
    name_key       TEXT COLLATE "C" NOT NULL UNIQUE,
    room_key       TEXT COLLATE "C" NOT NULL,
    steps          BIGINT NOT NULL DEFAULT 0,
    played_seconds BIGINT NOT NULL DEFAULT 0,
    settings       TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    created_at     BIGINT NOT NULL,
    saved_at       BIGINT NOT NULL
);
CREATE INDEX characters_account ON characters (account_id);

-- The owner is a room's key, or the number of a character or of an item that contains this one.
CREATE TABLE items (
    id         BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    prototype  TEXT COLLATE "C" NOT NULL,
    owner_kind TEXT COLLATE "C" NOT NULL CHECK (owner_kind IN ('room', 'character', 'container')),
    owner      TEXT COLLATE "C" NOT NULL,
    origin     TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX items_owner ON items (owner_kind, owner);

CREATE TABLE bans (
    kind      TEXT COLLATE "C" NOT NULL CHECK (kind IN ('account', 'address', 'character')),
    value     TEXT COLLATE "C" NOT NULL,
    reason    TEXT COLLATE "C" NOT NULL,
    banned_by TEXT COLLATE "C" NOT NULL,
    banned_at BIGINT NOT NULL,
    until     BIGINT,
    PRIMARY KEY (kind, value)
);

-- One token per character: a new one replaces the one before it.
CREATE TABLE resume_tokens (
    character_id BIGINT PRIMARY KEY REFERENCES characters (id),
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    hash         TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX resume_tokens_account ON resume_tokens (account_id);

CREATE TABLE staff_actions (
    id       BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    staff    TEXT COLLATE "C" NOT NULL,
    action   TEXT COLLATE "C" NOT NULL,
    target   TEXT COLLATE "C" NOT NULL,
    reason   TEXT COLLATE "C" NOT NULL,
    acted_at BIGINT NOT NULL
);
