-- Scripts: the drafts that were imported, the text of scenes as it was last compared, what pending changes propose, and the maps
-- of lists that are kept under a name. None of it is exported.

CREATE TABLE script_drafts (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  episode_id INTEGER,
  file TEXT NOT NULL,
  color TEXT NOT NULL,
  departments TEXT NOT NULL CHECK (json_type(departments) = 'object'), -- the department of a tag category, where --map gave it
  imported_at TEXT NOT NULL,
  UNIQUE (production_id, id), -- the target of references within a production
  FOREIGN KEY (production_id, episode_id) REFERENCES episodes (production_id, id)
) STRICT;

-- The script as the next draft is compared with it: a scene with a pending change as it was before that change.
CREATE TABLE script_scenes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  episode_id INTEGER,
  node_id INTEGER, -- NULL: the draft has the scene, but its addition was dismissed
  position INTEGER NOT NULL,
  place INTEGER, -- where the latest draft has the scene; NULL: it is absent or its place awaits a decision
  scene TEXT NOT NULL CHECK (json_type(scene) = 'object'),
  UNIQUE (production_id, id), -- the target of references within a production
  FOREIGN KEY (production_id, episode_id) REFERENCES episodes (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT;
CREATE INDEX script_scenes_order ON script_scenes (production_id, position); -- the order of a script

ALTER TABLE script_changes ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (json_type(fields) = 'object');
ALTER TABLE script_changes ADD COLUMN draft_id INTEGER REFERENCES script_drafts (id); -- NULL: a document brought the change
ALTER TABLE script_changes ADD COLUMN superseded_by INTEGER REFERENCES script_drafts (id);
ALTER TABLE script_changes ADD COLUMN decided_by TEXT; -- the name of a person
ALTER TABLE script_changes ADD COLUMN note TEXT;

-- The scene of a pending change as its draft has it.
CREATE TABLE script_proposals (
  change_id INTEGER PRIMARY KEY REFERENCES script_changes (id),
  production_id INTEGER NOT NULL,
  script_scene_id INTEGER, -- NULL: no earlier draft has the scene
  place INTEGER, -- where the draft has the scene; NULL: it is absent
  color TEXT, -- the revision colour, if the draft says one
  seen TEXT NOT NULL CHECK (json_type(seen) = 'object'), -- the stored scene at the time
  scene TEXT NOT NULL CHECK (json_type(scene) = 'object'),
  FOREIGN KEY (production_id, script_scene_id) REFERENCES script_scenes (production_id, id)
) STRICT;
CREATE INDEX script_proposals_production ON script_proposals (production_id); -- the pending changes of a production

-- What headers of lists mean, kept under a name.
CREATE TABLE import_maps (
  production_id INTEGER NOT NULL REFERENCES productions (id),
  name TEXT NOT NULL,
  pairs TEXT NOT NULL CHECK (json_type(pairs) = 'object'),
  PRIMARY KEY (production_id, name)
) STRICT, WITHOUT ROWID;
