-- A reset counts what it made, wherever it is by now.

CREATE INDEX items_origin ON items (origin, prototype) WHERE origin IS NOT NULL;
