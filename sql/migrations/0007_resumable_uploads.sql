-- What an activity entry is about besides a node. No references: an entry outlives what it is about.
ALTER TABLE activity ADD COLUMN delivery_id INTEGER;
ALTER TABLE activity ADD COLUMN work_item_id INTEGER; -- a submission

-- Files that arrive in parts. Their bytes are in the staging folder until something uses them.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES api_keys (id), -- only this key sees the upload
  length INTEGER NOT NULL CHECK (length >= 0),
  received INTEGER NOT NULL CHECK (received BETWEEN 0 AND length), -- these bytes are synced
  metadata TEXT NOT NULL, -- Upload-Metadata as the client sent it
  file_name TEXT,
  sha256 TEXT,       -- NULL until the upload is complete
  content_type TEXT, -- the same
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX uploads_key ON uploads (key_id); -- the number of uploads of a key, and foreign-key checks
