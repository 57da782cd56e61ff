-- A production that is updated while it is served: lifecycles, references that do not move, revisions and events.

ALTER TABLE people ADD COLUMN active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)); -- 0: the person left

ALTER TABLE purchase_orders ADD COLUMN number TEXT; -- the key by which documents name the order, if it has one
CREATE UNIQUE INDEX purchase_orders_number ON purchase_orders (production_id, number) WHERE number IS NOT NULL;

-- How documents name a thing that shares its label or title with another; NULL: by the label or title.
ALTER TABLE nodes ADD COLUMN ref TEXT;
ALTER TABLE ingredients ADD COLUMN ref TEXT;
ALTER TABLE engagements ADD COLUMN ref TEXT;
ALTER TABLE deliveries ADD COLUMN ref TEXT;
ALTER TABLE approvals ADD COLUMN ref TEXT;

-- Gaps, so that a scene can be inserted without moving the others. Negative first: each value must be unique at each row.
UPDATE scenes SET script_order = -1024 * script_order;
UPDATE scenes SET script_order = -script_order;

-- The steps of the former rounds of an approval that was opened again.
CREATE TABLE former_steps (
  production_id INTEGER NOT NULL,
  approval_id INTEGER NOT NULL,
  round INTEGER NOT NULL CHECK (round > 0),
  position INTEGER NOT NULL CHECK (position > 0),
  person_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected')),
  decided_at TEXT,
  note TEXT,
  decided_by_person_id INTEGER,
  PRIMARY KEY (approval_id, round, position),
  CHECK ((decided_at IS NULL) = (status = 'pending')),
  FOREIGN KEY (production_id, approval_id) REFERENCES approvals (production_id, id),
  FOREIGN KEY (production_id, person_id) REFERENCES people (production_id, id),
  FOREIGN KEY (production_id, decided_by_person_id) REFERENCES people (production_id, id)
) STRICT, WITHOUT ROWID;

-- How often the rows of a production changed, by table. Written in the transaction of the change.
CREATE TABLE revisions (
  production_id INTEGER NOT NULL REFERENCES productions (id),
  part TEXT NOT NULL, -- the table's name
  revision INTEGER NOT NULL,
  PRIMARY KEY (production_id, part)
) STRICT, WITHOUT ROWID;

-- Which life of the database this is: a restored copy starts another one, so that no position of the former one is mistaken.
CREATE TABLE epochs (
  id INTEGER PRIMARY KEY,
  epoch TEXT NOT NULL,
  started_at TEXT NOT NULL
) STRICT;
INSERT INTO epochs (epoch, started_at) VALUES (lower(hex(randomblob(4))), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

-- What changed, in commit order, written in the transaction of the change. Ids are never given twice.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  type TEXT NOT NULL,
  subject_kind TEXT NOT NULL,
  subject_id INTEGER NOT NULL,
  actor TEXT NOT NULL,
  activity_id INTEGER, -- no reference: activity may be trimmed
  data TEXT NOT NULL CHECK (json_type(data) = 'object'),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX events_production ON events (production_id, id); -- the feed of a production

-- The highest ids of removed rows, by table: an id is never given twice.
CREATE TABLE last_ids (
  part TEXT PRIMARY KEY,
  id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
