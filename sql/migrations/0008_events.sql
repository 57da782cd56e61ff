-- The event log is trimmed, and events are delivered to webhooks.

-- The highest id of the removed events of a production: an older cursor is not valid any more.
CREATE TABLE event_floors (
  production_id INTEGER PRIMARY KEY REFERENCES productions (id),
  id INTEGER NOT NULL
) STRICT;

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  url TEXT NOT NULL,
  types TEXT CHECK (types IS NULL OR json_type(types) = 'array'), -- NULL: every type
  secret TEXT NOT NULL,
  former_secret TEXT, -- signs beside the new one until former_until
  former_until TEXT,
  paused_at TEXT,
  pause_reason TEXT,
  position INTEGER NOT NULL, -- the id of the last event that is settled: delivered, dead or of another type
  tries INTEGER NOT NULL DEFAULT 0, -- of the event after it
  next_try_at TEXT, -- NULL: at once
  created_at TEXT NOT NULL,
  CHECK ((former_secret IS NULL) = (former_until IS NULL)),
  CHECK ((paused_at IS NULL) = (pause_reason IS NULL))
) STRICT;

-- One row a try. Only the newest of each webhook are kept.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id INTEGER, -- NULL: a test, or events that were removed before they were delivered
  type TEXT,
  try INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('delivered', 'failed', 'dead', 'skipped')),
  status INTEGER, -- of the answer; NULL: there was none
  reason TEXT, -- why there was no 2xx answer
  milliseconds INTEGER,
  created_at TEXT NOT NULL,
  next_try_at TEXT
) STRICT;
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id); -- the newest tries of a webhook
