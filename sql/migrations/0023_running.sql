-- Productions that can be read and not changed, and keys whose former token is good for some time.

CREATE TABLE frozen_productions (
  production_id INTEGER PRIMARY KEY REFERENCES productions (id),
  frozen_at TEXT NOT NULL
) STRICT;

-- Every change of a counted row ends here, whoever makes it. Who did what, and who may read, goes on.
CREATE TRIGGER refuse_frozen BEFORE INSERT ON table_revisions
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id)
  AND NEW.part NOT IN ('activity', 'api_keys', 'api_keys.last_used_at') BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;
-- Tables that are not counted.
CREATE TRIGGER refuse_frozen_storage_events BEFORE INSERT ON storage_events
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;
CREATE TRIGGER refuse_frozen_change_sets BEFORE INSERT ON change_sets
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;
CREATE TRIGGER refuse_frozen_drafts BEFORE INSERT ON script_drafts
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;

-- The token that a key had before it got another one. It is good until it ends, never before it was replaced.
CREATE TABLE former_tokens (
  token_sha256 TEXT PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  prefix TEXT NOT NULL,
  replaced_at TEXT NOT NULL,
  ends_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX former_tokens_prefix ON former_tokens (prefix); -- revoking by prefix must mean one token
CREATE INDEX former_tokens_key ON former_tokens (key_id);           -- foreign-key checks, and the tokens of a key
