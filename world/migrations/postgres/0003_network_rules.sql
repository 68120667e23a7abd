-- What staff decided about the network of games: players here who may not speak there (mute), and
-- games there that are not read here (block). The key is the subject in lower case.

CREATE TABLE network_rules (
    kind        TEXT COLLATE "C" NOT NULL CHECK (kind IN ('mute', 'block')),
    subject_key TEXT COLLATE "C" NOT NULL,
    subject     TEXT COLLATE "C" NOT NULL,
    reason      TEXT COLLATE "C" NOT NULL,
    made_by     TEXT COLLATE "C" NOT NULL,
    made_at     BIGINT NOT NULL,
    PRIMARY KEY (kind, subject_key)
);
