-- The storage agent's wire: what it reported, and the file moves that an admin approved.

CREATE TABLE storage_events (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  install_id INTEGER NOT NULL,
  dedupe_key TEXT NOT NULL,
  event_type TEXT NOT NULL CHECK (event_type IN ('create', 'modify', 'delete')),
  path TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('audit_tail', 'reconciler')),
  detected_at TEXT NOT NULL,
  size INTEGER,
  mtime_ns INTEGER,
  received_at TEXT NOT NULL,
  UNIQUE (install_id, dedupe_key), -- a replayed event is told by its key and never makes a second row
  FOREIGN KEY (production_id, install_id) REFERENCES storage_installs (production_id, id)
) STRICT;

CREATE TABLE storage_tasks (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  install_id INTEGER NOT NULL,
  src TEXT NOT NULL,
  dst TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'done', 'failed')),
  note TEXT,
  src_sha256 TEXT,
  created_at TEXT NOT NULL,
  settled_at TEXT CHECK ((settled_at IS NULL) = (status = 'pending')),
  FOREIGN KEY (production_id, install_id) REFERENCES storage_installs (production_id, id)
) STRICT;
CREATE INDEX storage_tasks_pending ON storage_tasks (production_id) WHERE status = 'pending'; -- the agent polls this
CREATE INDEX storage_tasks_moved ON storage_tasks (install_id, src) WHERE status = 'done';                -- was a file moved away since
CREATE INDEX storage_tasks_done ON storage_tasks (install_id, created_at) WHERE status = 'done';         -- is any event older than a move
