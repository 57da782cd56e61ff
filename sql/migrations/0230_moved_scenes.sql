-- A change of a script may be of a scene that another episode has now: "moved". It stands for the omission and the addition that it supersedes,
-- which name it. The table is made anew, because a constraint cannot change; the rows keep their ids.
CREATE TABLE former_script_changes AS SELECT * FROM script_changes;
DROP TABLE script_changes;
CREATE TABLE script_changes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  episode_id INTEGER,
  node_id INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('added', 'changed', 'omitted', 'moved')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'dismissed')),
  scene_number TEXT NOT NULL,
  summary TEXT NOT NULL,
  revision_color TEXT NOT NULL,
  detected_at TEXT NOT NULL,
  decided_at TEXT CHECK ((decided_at IS NULL) = (status = 'pending')),
  fields TEXT NOT NULL DEFAULT '{}' CHECK (json_type(fields) = 'object'),
  draft_id INTEGER REFERENCES script_drafts (id),
  superseded_by INTEGER REFERENCES script_drafts (id),
  decided_by TEXT,
  note TEXT,
  moved_by INTEGER, -- of an omission and an addition: the change that is both
  UNIQUE (production_id, id),
  FOREIGN KEY (production_id, episode_id) REFERENCES episodes (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, moved_by) REFERENCES script_changes (production_id, id)
) STRICT;
INSERT INTO script_changes (id, production_id, episode_id, node_id, kind, status, scene_number, summary, revision_color, detected_at, decided_at, fields, draft_id, superseded_by, decided_by, note)
SELECT id, production_id, episode_id, node_id, kind, status, scene_number, summary, revision_color, detected_at, decided_at, fields, draft_id, superseded_by, decided_by, note
FROM former_script_changes ORDER BY id;
DROP TABLE former_script_changes;
CREATE INDEX script_changes_status ON script_changes (production_id, status);
CREATE INDEX script_changes_moved ON script_changes (moved_by) WHERE moved_by IS NOT NULL;
CREATE TRIGGER keep_last_id_script_changes AFTER DELETE ON script_changes WHEN NOT EXISTS (SELECT 1 FROM script_changes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('script_changes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER refuse_frozen_script_changes_insert AFTER INSERT ON script_changes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_script_changes_update AFTER UPDATE ON script_changes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_script_changes_delete AFTER DELETE ON script_changes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
