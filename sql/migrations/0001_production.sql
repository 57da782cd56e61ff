-- The production's graph. Every row carries its production, and every reference between two rows of a
-- production is a composite key (production_id, id): a row cannot point into another production, whatever the code does.
-- Moments are UTC text, YYYY-MM-DDTHH:MM:SS.sssZ, so that their order as text is their order in time; dates are YYYY-MM-DD.

CREATE TABLE productions (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  logline TEXT NOT NULL,
  status TEXT NOT NULL,
  phase TEXT NOT NULL,
  accent TEXT NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('single', 'episodic')),
  season_number INTEGER CHECK ((season_number IS NOT NULL) = (format = 'episodic')),
  current_episode_id INTEGER,
  created_at TEXT NOT NULL,
  FOREIGN KEY (id, current_episode_id) REFERENCES episodes (production_id, id) DEFERRABLE INITIALLY DEFERRED
) STRICT;
-- A title is how a person names a production on the command line; two of one name could not be told apart.
CREATE UNIQUE INDEX productions_title ON productions (title COLLATE NOCASE);

CREATE TABLE episodes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  code TEXT NOT NULL,
  title TEXT NOT NULL,
  position INTEGER NOT NULL,
  UNIQUE (production_id, id),  -- the target of composite references
  UNIQUE (production_id, code) -- scenes and script changes name their episode by its code
) STRICT;

CREATE TABLE departments (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  cluster TEXT NOT NULL,
  phases TEXT NOT NULL CHECK (json_type(phases) = 'array'),
  mission TEXT NOT NULL,
  key_roles TEXT NOT NULL CHECK (json_type(key_roles) = 'array'),
  privacy TEXT NOT NULL,
  unveiled INTEGER NOT NULL CHECK (unveiled IN (0, 1)),
  registry TEXT NOT NULL CHECK (json_type(registry) = 'object'),
  UNIQUE (production_id, id),  -- the target of composite references
  UNIQUE (production_id, slug) -- the slug is the address of a department
) STRICT;

CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  department_id INTEGER,
  is_hod INTEGER NOT NULL CHECK (is_hod IN (0, 1)),
  is_admin INTEGER NOT NULL CHECK (is_admin IN (0, 1)),
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT;
-- decided_by names a person by full name, so a name must mean one person.
CREATE UNIQUE INDEX people_name ON people (production_id, name COLLATE NOCASE);
CREATE INDEX people_department ON people (department_id); -- the people of a department's detail

-- A node is a scene, or anything a department makes: asset, character, costume, location, prop …
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('planned', 'active', 'blocked', 'done') OR (status = 'omitted' AND kind = 'scene')),
  department_id INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT;
CREATE INDEX nodes_kind ON nodes (production_id, kind);             -- scenes apart from assets; the kind filter
CREATE INDEX nodes_department ON nodes (department_id);             -- the department filter, counts, and reach by department

-- What a node of kind scene has beyond a node.
CREATE TABLE scenes (
  node_id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  episode_id INTEGER,
  number TEXT NOT NULL,
  slugline TEXT NOT NULL,
  synopsis TEXT,
  revision_color TEXT NOT NULL,
  elements TEXT NOT NULL CHECK (json_type(elements) = 'object'),
  script_order INTEGER NOT NULL,
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, episode_id) REFERENCES episodes (production_id, id)
) STRICT;
-- A scene number means one scene of its script; a series has a script an episode.
CREATE UNIQUE INDEX scenes_number ON scenes (production_id, ifnull(episode_id, 0), number);
-- Script order is the order of the scene list.
CREATE UNIQUE INDEX scenes_script_order ON scenes (production_id, script_order);

-- scene -> the assets it needs; character -> the costumes it wears.
CREATE TABLE node_links (
  production_id INTEGER NOT NULL,
  from_node_id INTEGER NOT NULL,
  to_node_id INTEGER NOT NULL,
  PRIMARY KEY (from_node_id, to_node_id), -- a link either stands or does not
  FOREIGN KEY (production_id, from_node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, to_node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_links_to ON node_links (to_node_id); -- foreign-key checks, and "which scenes need this asset"

-- Bytes on disk, named by their content.
CREATE TABLE blobs (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  size INTEGER NOT NULL,
  content_type TEXT NOT NULL, -- sniffed from the bytes, never taken from a client
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE versions (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  variant TEXT NOT NULL,
  status TEXT NOT NULL,
  note TEXT,
  created_by TEXT,
  created_by_person_id INTEGER,
  archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
  released INTEGER NOT NULL CHECK (released IN (0, 1)),
  created_at TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  UNIQUE (node_id, version),  -- version numbers of a node are consecutive; two uploads at once must not share one
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, created_by_person_id) REFERENCES people (production_id, id)
) STRICT;

-- What fed a costume's versions: a swatch, a reference, a pattern.
CREATE TABLE ingredients (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  UNIQUE (production_id, id) -- the target of composite references
) STRICT;

CREATE TABLE version_ingredients (
  production_id INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  ingredient_id INTEGER NOT NULL,
  relation TEXT,
  PRIMARY KEY (version_id, ingredient_id), -- an ingredient feeds a version once
  FOREIGN KEY (production_id, version_id) REFERENCES versions (production_id, id),
  FOREIGN KEY (production_id, ingredient_id) REFERENCES ingredients (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_ingredients_ingredient ON version_ingredients (ingredient_id); -- foreign-key checks

CREATE TABLE shoot_days (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  day_number INTEGER NOT NULL,
  date TEXT NOT NULL,
  general_call TEXT,
  status TEXT NOT NULL,
  UNIQUE (production_id, id),        -- the target of composite references
  UNIQUE (production_id, day_number) -- a day number means one day; also the order of the schedule
) STRICT;

-- A strip is one scene on one shoot day.
CREATE TABLE strips (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (shoot_day_id, position), -- the board's order
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;
-- A scene stands once on a day; also the days of a scene, for its bundle.
CREATE UNIQUE INDEX strips_node ON strips (node_id, shoot_day_id);

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'blocked', 'ready', 'sent', 'accepted')),
  kind TEXT NOT NULL CHECK (kind IN ('internal', 'external')),
  due TEXT,
  external_to TEXT CHECK ((external_to IS NOT NULL) = (kind = 'external')),
  from_department_id INTEGER,
  to_department_id INTEGER,
  spec TEXT NOT NULL CHECK (json_type(spec) = 'array'),
  sent_at TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, from_department_id) REFERENCES departments (production_id, id),
  FOREIGN KEY (production_id, to_department_id) REFERENCES departments (production_id, id)
) STRICT;

-- The scenes and assets that a delivery is about.
CREATE TABLE delivery_nodes (
  production_id INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  PRIMARY KEY (delivery_id, node_id), -- a delivery names a node once
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_nodes_node ON delivery_nodes (node_id); -- the deliveries of a scene, for its bundle

CREATE TABLE approvals (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected')),
  mode TEXT NOT NULL CHECK (mode IN ('chain', 'decision')),
  due TEXT,
  node_id INTEGER,
  delivery_id INTEGER,
  UNIQUE (production_id, id), -- the target of composite references
  CHECK (node_id IS NULL OR delivery_id IS NULL),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id)
) STRICT;
CREATE INDEX approvals_status ON approvals (production_id, status); -- the status filter and stats.open_approvals
CREATE INDEX approvals_node ON approvals (node_id);                 -- the approvals of a scene and its assets
CREATE INDEX approvals_delivery ON approvals (delivery_id);         -- the gating approval of a delivery

CREATE TABLE approval_steps (
  production_id INTEGER NOT NULL,
  approval_id INTEGER NOT NULL,
  position INTEGER NOT NULL CHECK (position > 0),
  person_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected')),
  decided_at TEXT,
  note TEXT,
  decided_by_person_id INTEGER, -- null on a decided step: decided through a key, by nobody's name
  PRIMARY KEY (approval_id, position), -- steps are taken in order
  CHECK ((decided_at IS NULL) = (status = 'pending')),
  FOREIGN KEY (production_id, approval_id) REFERENCES approvals (production_id, id),
  FOREIGN KEY (production_id, person_id) REFERENCES people (production_id, id),
  FOREIGN KEY (production_id, decided_by_person_id) REFERENCES people (production_id, id)
) STRICT, WITHOUT ROWID;

-- What a department wrote about a scene.
CREATE TABLE department_notes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  department_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  summary TEXT NOT NULL,
  created_at TEXT,
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT;
CREATE INDEX department_notes_node ON department_notes (node_id); -- the notes of a scene, for its bundle

-- Notes that came through the API: on a version where the node has one, else beside an activity entry.
CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  version_id INTEGER,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at TEXT NOT NULL,
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, version_id) REFERENCES versions (production_id, id)
) STRICT;
CREATE INDEX notes_node ON notes (node_id); -- the notes of an asset's detail

CREATE TABLE vendors (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  name TEXT NOT NULL,
  UNIQUE (production_id, id) -- the target of composite references
) STRICT;
-- Purchase orders and engagements meet at the vendor; one vendor spelt twice would lose its own orders.
CREATE UNIQUE INDEX vendors_name ON vendors (production_id, name COLLATE NOCASE);

CREATE TABLE purchase_orders (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  account TEXT NOT NULL,
  vendor_id INTEGER NOT NULL,
  description TEXT NOT NULL,
  amount REAL NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'partial', 'closed')),
  date TEXT NOT NULL,
  department_id INTEGER, -- null: a production-wide commitment in nobody's envelope, never served
  FOREIGN KEY (production_id, vendor_id) REFERENCES vendors (production_id, id),
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT;
CREATE INDEX purchase_orders_vendor ON purchase_orders (vendor_id); -- a vendor's own orders

CREATE TABLE cost_reports (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  week_of TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  UNIQUE (production_id, id),     -- the target of composite references
  UNIQUE (production_id, week_of) -- one report a week
) STRICT;
-- Only one weekly report is the active one.
CREATE UNIQUE INDEX cost_reports_active ON cost_reports (production_id) WHERE active = 1;

CREATE TABLE cost_report_lines (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  cost_report_id INTEGER NOT NULL,
  account TEXT NOT NULL,
  department_id INTEGER NOT NULL,
  budget REAL,
  figures TEXT NOT NULL CHECK (json_type(figures) = 'object'), -- further columns of the report, as they came
  UNIQUE (cost_report_id, account), -- an account stands once in a report; also the order of its lines
  FOREIGN KEY (production_id, cost_report_id) REFERENCES cost_reports (production_id, id),
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT;

CREATE TABLE script_changes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  episode_id INTEGER,
  node_id INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('added', 'changed', 'omitted')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'dismissed')),
  scene_number TEXT NOT NULL,
  summary TEXT NOT NULL,
  revision_color TEXT NOT NULL,
  detected_at TEXT NOT NULL,
  decided_at TEXT CHECK ((decided_at IS NULL) = (status = 'pending')),
  FOREIGN KEY (production_id, episode_id) REFERENCES episodes (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT;
CREATE INDEX script_changes_status ON script_changes (production_id, status); -- the status filter

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video')),
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
  summary TEXT NOT NULL,
  model TEXT,
  node_id INTEGER,
  created_by TEXT,
  created_at TEXT NOT NULL,
  finished_at TEXT,
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT;
CREATE INDEX jobs_newest ON jobs (production_id, created_at DESC, id DESC); -- the feed's order, so that a page never sorts

CREATE TABLE activity (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  verb TEXT NOT NULL,
  summary TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_person_id INTEGER,
  node_id INTEGER,
  created_at TEXT NOT NULL,
  FOREIGN KEY (production_id, actor_person_id) REFERENCES people (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT;
CREATE INDEX activity_newest ON activity (production_id, created_at DESC, id DESC); -- the feed's order, so that a page never sorts
