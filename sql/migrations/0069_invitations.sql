-- Invitations: links that work once and open a session with a key of their own, whose token nobody has. Only hashes of their secrets are
-- stored. Until it is used, the key ends with the link.
CREATE TABLE invitations (
  key_id INTEGER PRIMARY KEY REFERENCES api_keys (id),
  production_id INTEGER NOT NULL REFERENCES productions (id),
  token_sha256 TEXT NOT NULL UNIQUE, -- a link is found by its hash
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT,
  key_ends_at TEXT -- when the key ends once the link was used; null: it does not
) STRICT;
