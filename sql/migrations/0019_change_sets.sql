-- What changed a production, set by set, so that each can be shown and undone. No document contains it.

CREATE TABLE change_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- ids are never given twice
  production_id INTEGER NOT NULL REFERENCES productions (id),
  created_at TEXT NOT NULL,
  actor TEXT NOT NULL,
  source TEXT NOT NULL, -- the files, or what was done
  summary TEXT NOT NULL,
  added INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  undoes INTEGER,    -- the set that this one undoes; it may be removed earlier
  undone_by INTEGER, -- NULL again once that undo is undone
  changes TEXT NOT NULL CHECK (json_type(changes) = 'array'), -- as the plan printed them
  inverse TEXT NOT NULL CHECK (json_type(inverse) = 'object') -- what an undo needs beside the changes
) STRICT;
CREATE INDEX change_sets_production ON change_sets (production_id, id); -- the newest sets of a production
CREATE INDEX change_sets_created ON change_sets (created_at);           -- the sets that are too old
