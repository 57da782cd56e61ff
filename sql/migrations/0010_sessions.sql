-- Browser sessions, and the one-time links that open one for the admin of this server. Only hashes of their secrets are stored.

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  token_sha256 TEXT NOT NULL,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  key_id INTEGER REFERENCES api_keys (id), -- null: the admin, who came by a one-time link
  seen_as INTEGER,                         -- the engagement through whose reach the admin looks
  browser TEXT NOT NULL,                   -- what the browser calls itself, to recognise a session in the list
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  CHECK (seen_as IS NULL OR key_id IS NULL),
  FOREIGN KEY (production_id, seen_as) REFERENCES engagements (production_id, id)
) STRICT;
-- A session is found by the hash of its token at every request.
CREATE UNIQUE INDEX sessions_token ON sessions (token_sha256);
CREATE INDEX sessions_key ON sessions (key_id); -- foreign-key checks, and the sessions of a key

CREATE TABLE sign_in_links (
  token_sha256 TEXT PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
