-- Times are milliseconds since 1970 UTC. Keys are lower case. Numbers of rows are never used twice.

CREATE TABLE games (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    client_id       TEXT    NOT NULL UNIQUE,
    secret_hash     BLOB    NOT NULL,
    short_name      TEXT    NOT NULL,
    name_key        TEXT    NOT NULL UNIQUE,
    display_name    TEXT    NOT NULL,
    display_key     TEXT    NOT NULL UNIQUE,
    description     TEXT,
    homepage        TEXT,
    display         BOOLEAN NOT NULL DEFAULT TRUE,
    display_players BOOLEAN NOT NULL DEFAULT TRUE,
    disabled        BOOLEAN NOT NULL DEFAULT FALSE,
    created_at      BIGINT  NOT NULL,
    last_seen       BIGINT,
    user_agent      TEXT,
    version         TEXT
);

-- At most one of each kind; plain and secure telnet have a host and a port, web has a URL.
CREATE TABLE connections (
    game_id INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    kind    TEXT    NOT NULL CHECK (kind IN ('telnet', 'secure telnet', 'web')),
    address TEXT    NOT NULL,
    PRIMARY KEY (game_id, kind)
);

CREATE TABLE achievements (
    key              TEXT    PRIMARY KEY,
    game_id          INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    title            TEXT    NOT NULL,
    description      TEXT,
    points           INTEGER NOT NULL,
    display          BOOLEAN NOT NULL,
    partial_progress BOOLEAN NOT NULL,
    total_progress   BIGINT
);
CREATE INDEX achievements_game ON achievements (game_id);

-- The case of a channel's name counts.
CREATE TABLE channels (
    name         TEXT    PRIMARY KEY,
    description  TEXT,
    hidden       BOOLEAN NOT NULL DEFAULT TRUE,
    paused_until BIGINT,
    created_at   BIGINT  NOT NULL
);

-- Who is banned, as text: @Game, Name@Game, Name, an address or a network.
CREATE TABLE bans (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    banned     TEXT    NOT NULL,
    banned_key TEXT    NOT NULL UNIQUE,
    reason     TEXT    NOT NULL,
    until      BIGINT,
    created_at BIGINT  NOT NULL
);
