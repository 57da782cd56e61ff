-- The session of a key with the scope admin may look through the reach of a vendor, too: without the check, which allowed it only
-- to the admin of this server. Who may is decided when the session is used.
CREATE TABLE sessions_rebuilt (
  id INTEGER PRIMARY KEY,
  token_sha256 TEXT NOT NULL,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  key_id INTEGER REFERENCES api_keys (id), -- null: the admin, who came by a one-time link
  seen_as INTEGER,                         -- the engagement through whose reach the admin looks
  browser TEXT NOT NULL,                   -- what the browser calls itself, to recognise a session in the list
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  FOREIGN KEY (production_id, seen_as) REFERENCES engagements (production_id, id)
) STRICT;
INSERT INTO sessions_rebuilt (id, token_sha256, production_id, key_id, seen_as, browser, created_at, expires_at)
SELECT id, token_sha256, production_id, key_id, seen_as, browser, created_at, expires_at FROM sessions;
DROP TABLE sessions;
ALTER TABLE sessions_rebuilt RENAME TO sessions;
-- A session is found by the hash of its token at every request.
CREATE UNIQUE INDEX sessions_token ON sessions (token_sha256);
CREATE INDEX sessions_key ON sessions (key_id); -- foreign-key checks, and the sessions of a key
