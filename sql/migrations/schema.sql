-- The schema of a new database: what the migrations make of an empty one. Made from them by `npm run statements`.
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
  created_at TEXT NOT NULL, time_zone TEXT,
  FOREIGN KEY (id, current_episode_id) REFERENCES episodes (production_id, id) DEFERRABLE INITIALLY DEFERRED
) STRICT;
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
  is_admin INTEGER NOT NULL CHECK (is_admin IN (0, 1)), active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT;
CREATE UNIQUE INDEX people_name ON people (production_id, name COLLATE NOCASE);
CREATE INDEX people_department ON people (department_id);
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('planned', 'active', 'blocked', 'done') OR (status = 'omitted' AND kind = 'scene')),
  department_id INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, ref TEXT, cast_number TEXT CHECK (cast_number IS NULL OR kind = 'character'), performer TEXT CHECK (performer IS NULL OR kind = 'character'), external_id TEXT CHECK (external_id IS NULL OR kind <> 'scene'),
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT;
CREATE INDEX nodes_kind ON nodes (production_id, kind);
CREATE INDEX nodes_department ON nodes (department_id);
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
CREATE UNIQUE INDEX scenes_number ON scenes (production_id, ifnull(episode_id, 0), number);
CREATE UNIQUE INDEX scenes_script_order ON scenes (production_id, script_order);
CREATE TABLE node_links (
  production_id INTEGER NOT NULL,
  from_node_id INTEGER NOT NULL,
  to_node_id INTEGER NOT NULL,
  PRIMARY KEY (from_node_id, to_node_id), -- a link either stands or does not
  FOREIGN KEY (production_id, from_node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, to_node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_links_to ON node_links (to_node_id);
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
  created_at TEXT, external_id TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  UNIQUE (node_id, version),  -- version numbers of a node are consecutive; two uploads at once must not share one
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, created_by_person_id) REFERENCES people (production_id, id)
) STRICT;
CREATE TABLE ingredients (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  kind TEXT NOT NULL,
  label TEXT NOT NULL, ref TEXT,
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
CREATE INDEX version_ingredients_ingredient ON version_ingredients (ingredient_id);
CREATE TABLE strips (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (shoot_day_id, position), -- the board's order
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;
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
  sent_at TEXT, ref TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, from_department_id) REFERENCES departments (production_id, id),
  FOREIGN KEY (production_id, to_department_id) REFERENCES departments (production_id, id)
) STRICT;
CREATE TABLE delivery_nodes (
  production_id INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  PRIMARY KEY (delivery_id, node_id), -- a delivery names a node once
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_nodes_node ON delivery_nodes (node_id);
CREATE TABLE approvals (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected')),
  mode TEXT NOT NULL CHECK (mode IN ('chain', 'decision')),
  due TEXT,
  node_id INTEGER,
  delivery_id INTEGER, ref TEXT, version_id INTEGER REFERENCES versions (id) CHECK (version_id IS NULL OR node_id IS NOT NULL), version_status TEXT CHECK (version_status IS NULL OR version_id IS NOT NULL),
  UNIQUE (production_id, id), -- the target of composite references
  CHECK (node_id IS NULL OR delivery_id IS NULL),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id)
) STRICT;
CREATE INDEX approvals_status ON approvals (production_id, status);
CREATE INDEX approvals_node ON approvals (node_id);
CREATE INDEX approvals_delivery ON approvals (delivery_id);
CREATE TABLE approval_steps (
  production_id INTEGER NOT NULL,
  approval_id INTEGER NOT NULL,
  position INTEGER NOT NULL CHECK (position > 0),
  person_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected')),
  decided_at TEXT,
  note TEXT,
  decided_by_person_id INTEGER, signed_as TEXT, version_id INTEGER REFERENCES versions (id) CHECK (version_id IS NULL OR status <> 'pending'), -- null on a decided step: decided through a key, by nobody's name
  PRIMARY KEY (approval_id, position), -- steps are taken in order
  CHECK ((decided_at IS NULL) = (status = 'pending')),
  FOREIGN KEY (production_id, approval_id) REFERENCES approvals (production_id, id),
  FOREIGN KEY (production_id, person_id) REFERENCES people (production_id, id),
  FOREIGN KEY (production_id, decided_by_person_id) REFERENCES people (production_id, id)
) STRICT, WITHOUT ROWID;
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
CREATE INDEX department_notes_node ON department_notes (node_id);
CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  version_id INTEGER,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at TEXT NOT NULL, later_at TEXT, placed_at TEXT GENERATED ALWAYS AS (coalesce(later_at, created_at)) VIRTUAL, place TEXT CHECK (place IS NULL OR version_id IS NOT NULL),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, version_id) REFERENCES versions (production_id, id)
) STRICT;
CREATE TABLE vendors (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  name TEXT NOT NULL,
  UNIQUE (production_id, id) -- the target of composite references
) STRICT;
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
  department_id INTEGER, number TEXT, currency TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]'), -- null: a production-wide commitment in nobody's envelope, never served
  FOREIGN KEY (production_id, vendor_id) REFERENCES vendors (production_id, id),
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT;
CREATE INDEX purchase_orders_vendor ON purchase_orders (vendor_id);
CREATE TABLE cost_reports (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  week_of TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  UNIQUE (production_id, id),     -- the target of composite references
  UNIQUE (production_id, week_of) -- one report a week
) STRICT;
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
CREATE INDEX jobs_newest ON jobs (production_id, created_at DESC, id DESC);
CREATE TABLE activity (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  verb TEXT NOT NULL,
  summary TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_person_id INTEGER,
  node_id INTEGER,
  created_at TEXT NOT NULL, delivery_id INTEGER, work_item_id INTEGER, gone_node_id INTEGER, later_at TEXT, placed_at TEXT GENERATED ALWAYS AS (coalesce(later_at, created_at)) VIRTUAL,
  FOREIGN KEY (production_id, actor_person_id) REFERENCES people (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT;
CREATE TABLE engagements (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  vendor_id INTEGER NOT NULL,
  title TEXT NOT NULL,
  created_at TEXT NOT NULL,
  ended_at TEXT, ref TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, vendor_id) REFERENCES vendors (production_id, id)
) STRICT;
CREATE TABLE grants (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  engagement_id INTEGER NOT NULL,
  verb TEXT NOT NULL CHECK (verb IN ('read', 'submit', 'read:own_po')),
  node_id INTEGER,
  department_id INTEGER,
  delivery_id INTEGER,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  CHECK ((node_id IS NOT NULL) + (department_id IS NOT NULL) + (delivery_id IS NOT NULL) = 1),
  CHECK (verb <> 'submit' OR delivery_id IS NOT NULL),
  CHECK (verb <> 'read:own_po' OR department_id IS NOT NULL),
  FOREIGN KEY (production_id, engagement_id) REFERENCES engagements (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id),
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id)
) STRICT;
CREATE INDEX grants_target ON grants (engagement_id, node_id, department_id, delivery_id);
CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  engagement_id INTEGER,
  person_id INTEGER,
  label TEXT NOT NULL,
  prefix TEXT NOT NULL,
  token_sha256 TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT, -- coarse: written at most once a minute
  FOREIGN KEY (production_id, engagement_id) REFERENCES engagements (production_id, id),
  FOREIGN KEY (production_id, person_id) REFERENCES people (production_id, id)
) STRICT;
CREATE UNIQUE INDEX api_keys_token ON api_keys (token_sha256);
CREATE UNIQUE INDEX api_keys_prefix ON api_keys (prefix);
CREATE TABLE submissions (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL,
  engagement_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  title TEXT NOT NULL,
  note TEXT,
  created_by TEXT,
  created_at TEXT, decision_note TEXT, later_at TEXT, placed_at TEXT GENERATED ALWAYS AS (coalesce(later_at, created_at, '')) VIRTUAL, answers INTEGER REFERENCES submissions (id) ON DELETE SET NULL, decided_at TEXT, decided_by TEXT, external_id TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id),
  FOREIGN KEY (production_id, engagement_id) REFERENCES engagements (production_id, id)
) STRICT;
CREATE TABLE storage_installs (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  filespace TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at TEXT NOT NULL,
  UNIQUE (production_id, id),       -- the target of composite references
  UNIQUE (production_id, filespace) -- a filespace is installed once; it is switched on and off
) STRICT;
CREATE UNIQUE INDEX storage_installs_active ON storage_installs (production_id) WHERE active = 1;
CREATE TABLE asset_files (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  install_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('present', 'gone')),
  size INTEGER,
  mtime_ns INTEGER, -- 64 bits: beyond what a JavaScript number holds, so it is always read as text
  detected_at TEXT NOT NULL,
  UNIQUE (production_id, id), -- the target of composite references
  UNIQUE (install_id, path),  -- create and modify upsert by path
  FOREIGN KEY (production_id, install_id) REFERENCES storage_installs (production_id, id)
) STRICT;
CREATE TABLE media (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- a path carries it, so it is never used again
  production_id INTEGER NOT NULL REFERENCES productions (id),
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  sha256 TEXT NOT NULL REFERENCES blobs (sha256),
  version_id INTEGER,
  delivery_id INTEGER,
  work_item_id INTEGER,
  ingredient_id INTEGER,
  asset_file_id INTEGER,
  created_by TEXT,
  created_at TEXT, updated_at TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  CHECK ((version_id IS NOT NULL) + (delivery_id IS NOT NULL AND work_item_id IS NULL) + (work_item_id IS NOT NULL)
       + (ingredient_id IS NOT NULL) + (asset_file_id IS NOT NULL) <= 1),
  FOREIGN KEY (production_id, version_id) REFERENCES versions (production_id, id),
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id),
  FOREIGN KEY (production_id, work_item_id) REFERENCES submissions (production_id, id),
  FOREIGN KEY (production_id, ingredient_id) REFERENCES ingredients (production_id, id),
  FOREIGN KEY (production_id, asset_file_id) REFERENCES asset_files (production_id, id)
) STRICT;
CREATE UNIQUE INDEX media_path ON media (production_id, path);
CREATE UNIQUE INDEX media_version ON media (version_id) WHERE version_id IS NOT NULL;
CREATE UNIQUE INDEX media_ingredient ON media (ingredient_id) WHERE ingredient_id IS NOT NULL;
CREATE UNIQUE INDEX media_asset_file ON media (asset_file_id) WHERE asset_file_id IS NOT NULL;
CREATE INDEX media_delivery ON media (delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX media_work_item ON media (work_item_id) WHERE work_item_id IS NOT NULL;
CREATE INDEX media_sha256 ON media (sha256);
CREATE TABLE look_briefs (
  version_id INTEGER NOT NULL REFERENCES versions (id),
  sha256 TEXT NOT NULL,
  brief TEXT NOT NULL CHECK (json_type(brief) = 'object'),
  created_at TEXT NOT NULL,
  PRIMARY KEY (version_id, sha256) -- another still on the same version is another look
) STRICT, WITHOUT ROWID;
CREATE TABLE oauth_clients (
  id INTEGER PRIMARY KEY,
  client_id TEXT NOT NULL UNIQUE, -- how a client names itself in every request
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL CHECK (json_type(redirect_uris) = 'array'),
  created_at TEXT NOT NULL,
  used_at TEXT -- null: never completed a sign-in, and so it expires
) STRICT;
CREATE TABLE oauth_codes (
  code_sha256 TEXT PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  redirect_uri TEXT NOT NULL,
  code_challenge TEXT NOT NULL,
  resource TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  family TEXT NOT NULL, -- the tokens it was exchanged for, ended when the code is replayed
  expires_at TEXT NOT NULL,
  used_at TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE oauth_tokens (
  token_sha256 TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
  family TEXT NOT NULL,
  client_id TEXT NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  resource TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT,   -- a refresh token that was rotated; seen again, it ends its family
  revoked_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_tokens_family ON oauth_tokens (family);
CREATE INDEX oauth_tokens_expires ON oauth_tokens (expires_at);
CREATE TABLE idempotent_answers (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  idempotency_key TEXT NOT NULL,
  request_sha256 TEXT NOT NULL,
  body TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (key_id, idempotency_key) -- one answer for a key's idempotency key
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_answers_created ON idempotent_answers (created_at);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  created_at TEXT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  production_id INTEGER,
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;
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
CREATE INDEX storage_tasks_pending ON storage_tasks (production_id) WHERE status = 'pending';
CREATE INDEX storage_tasks_moved ON storage_tasks (install_id, src) WHERE status = 'done';
CREATE INDEX storage_tasks_done ON storage_tasks (install_id, settled_at) WHERE status = 'done';
CREATE UNIQUE INDEX purchase_orders_number ON purchase_orders (production_id, number) WHERE number IS NOT NULL;
CREATE TABLE former_steps (
  production_id INTEGER NOT NULL,
  approval_id INTEGER NOT NULL,
  round INTEGER NOT NULL CHECK (round > 0),
  position INTEGER NOT NULL CHECK (position > 0),
  person_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected')),
  decided_at TEXT,
  note TEXT,
  decided_by_person_id INTEGER, signed_as TEXT, version_id INTEGER REFERENCES versions (id) CHECK (version_id IS NULL OR status <> 'pending'),
  PRIMARY KEY (approval_id, round, position),
  CHECK ((decided_at IS NULL) = (status = 'pending')),
  FOREIGN KEY (production_id, approval_id) REFERENCES approvals (production_id, id),
  FOREIGN KEY (production_id, person_id) REFERENCES people (production_id, id),
  FOREIGN KEY (production_id, decided_by_person_id) REFERENCES people (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE epochs (
  id INTEGER PRIMARY KEY,
  epoch TEXT NOT NULL,
  started_at TEXT NOT NULL
, succeeds TEXT) STRICT;
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
CREATE INDEX events_production ON events (production_id, id);
CREATE TABLE last_ids (
  part TEXT PRIMARY KEY,
  id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE INDEX uploads_key ON uploads (key_id);
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
  created_at TEXT NOT NULL, refusals INTEGER NOT NULL DEFAULT 0, replayed INTEGER,
  CHECK ((former_secret IS NULL) = (former_until IS NULL)),
  CHECK ((paused_at IS NULL) = (pause_reason IS NULL))
) STRICT;
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
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE TABLE sign_in_links (
  token_sha256 TEXT PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE script_drafts (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  episode_id INTEGER,
  file TEXT NOT NULL,
  color TEXT NOT NULL,
  departments TEXT NOT NULL CHECK (json_type(departments) = 'object'), -- the department of a tag category, where --map gave it
  imported_at TEXT NOT NULL, dismissed TEXT NOT NULL DEFAULT '[]' CHECK (json_type(dismissed) = 'array'),
  UNIQUE (production_id, id), -- the target of references within a production
  FOREIGN KEY (production_id, episode_id) REFERENCES episodes (production_id, id)
) STRICT;
CREATE TABLE script_scenes (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  episode_id INTEGER,
  node_id INTEGER, -- NULL: the draft has the scene, but its addition was dismissed
  place INTEGER, -- where the latest draft has the scene; NULL: it is absent or its place awaits a decision
  scene TEXT NOT NULL CHECK (json_type(scene) = 'object'), approved TEXT CHECK (approved IS NULL OR json_type(approved) = 'object'), dismissed INTEGER NOT NULL DEFAULT 0, kept TEXT NOT NULL DEFAULT '[]' CHECK (json_type(kept) = 'array'), by_hand TEXT NOT NULL DEFAULT '[]' CHECK (json_type(by_hand) = 'array'),
  UNIQUE (production_id, id), -- the target of references within a production
  FOREIGN KEY (production_id, episode_id) REFERENCES episodes (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id)
) STRICT;
CREATE TABLE import_maps (
  production_id INTEGER NOT NULL REFERENCES productions (id),
  name TEXT NOT NULL,
  pairs TEXT NOT NULL CHECK (json_type(pairs) = 'object'),
  PRIMARY KEY (production_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_changes (id INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER search_nodes_insert AFTER INSERT ON nodes BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_nodes_delete AFTER DELETE ON nodes BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_scenes_insert AFTER INSERT ON scenes BEGIN
  INSERT INTO search_changes VALUES (NEW.node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_scenes_update AFTER UPDATE OF episode_id, number, slugline, synopsis, elements, revision_color ON scenes
WHEN (OLD.episode_id, OLD.number, OLD.slugline, OLD.synopsis, OLD.elements, OLD.revision_color)
  IS NOT (NEW.episode_id, NEW.number, NEW.slugline, NEW.synopsis, NEW.elements, NEW.revision_color) BEGIN
  INSERT INTO search_changes VALUES (NEW.node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_scenes_delete AFTER DELETE ON scenes BEGIN
  INSERT INTO search_changes VALUES (OLD.node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_links_insert AFTER INSERT ON node_links BEGIN
  INSERT INTO search_changes VALUES (NEW.from_node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_links_delete AFTER DELETE ON node_links BEGIN
  INSERT INTO search_changes VALUES (OLD.from_node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_characters_update AFTER UPDATE OF kind, label ON nodes
WHEN 'character' IN (OLD.kind, NEW.kind) AND (OLD.kind, OLD.label) IS NOT (NEW.kind, NEW.label) BEGIN
  INSERT INTO search_changes SELECT from_node_id * 10 FROM node_links WHERE to_node_id = NEW.id ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_episodes_update AFTER UPDATE OF code ON episodes
WHEN OLD.code IS NOT NEW.code BEGIN
  INSERT INTO search_changes SELECT node_id * 10 FROM scenes WHERE episode_id = NEW.id ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_people_insert AFTER INSERT ON people BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 1) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_people_update AFTER UPDATE OF name, role, department_id ON people
WHEN (OLD.name, OLD.role, OLD.department_id) IS NOT (NEW.name, NEW.role, NEW.department_id) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 1) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_people_delete AFTER DELETE ON people BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 1) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_deliveries_insert AFTER INSERT ON deliveries BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 2) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_deliveries_update AFTER UPDATE OF title, external_to, status, due ON deliveries
WHEN (OLD.title, OLD.external_to, OLD.status, OLD.due) IS NOT (NEW.title, NEW.external_to, NEW.status, NEW.due) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 2) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_deliveries_delete AFTER DELETE ON deliveries BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 2) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_approvals_insert AFTER INSERT ON approvals BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 3) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_approvals_update AFTER UPDATE OF title, status ON approvals
WHEN (OLD.title, OLD.status) IS NOT (NEW.title, NEW.status) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 3) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_approvals_delete AFTER DELETE ON approvals BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 3) ON CONFLICT DO NOTHING;
END;
CREATE TABLE engagement_use (
  engagement_id INTEGER PRIMARY KEY REFERENCES engagements (id),
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
CREATE TRIGGER count_submitted_file AFTER INSERT ON media WHEN NEW.work_item_id IS NOT NULL BEGIN
  INSERT INTO engagement_use
  SELECT w.engagement_id, 1, blobs.size FROM submissions w, blobs WHERE w.id = NEW.work_item_id AND blobs.sha256 = NEW.sha256
  ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER count_removed_file AFTER DELETE ON media WHEN OLD.work_item_id IS NOT NULL BEGIN
  UPDATE engagement_use SET files = files - 1, bytes = bytes - (SELECT size FROM blobs WHERE sha256 = OLD.sha256)
  WHERE engagement_id = (SELECT engagement_id FROM submissions WHERE id = OLD.work_item_id);
END;
CREATE INDEX submissions_engagement ON submissions (engagement_id);
CREATE INDEX approvals_version ON approvals (version_id) WHERE version_id IS NOT NULL;
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
  script TEXT CHECK (script IS NULL OR json_type(script) = 'array'), schema_number INTEGER) STRICT;
CREATE INDEX change_sets_production ON change_sets (production_id, id);
CREATE INDEX change_sets_created ON change_sets (created_at);
CREATE TABLE webhook_set_aside (
  event_id INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  tries INTEGER NOT NULL,
  status INTEGER, -- of the last answer; NULL: there was none
  reason TEXT NOT NULL,
  set_aside_at TEXT NOT NULL,
  PRIMARY KEY (event_id, webhook_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_set_aside_webhook ON webhook_set_aside (webhook_id, event_id);
CREATE TABLE day_calls (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  node_id INTEGER,
  person_id INTEGER,
  department_id INTEGER,
  who TEXT,
  time TEXT NOT NULL,
  note TEXT, pickup TEXT, makeup TEXT, costume TEXT, on_set TEXT,
  PRIMARY KEY (shoot_day_id, position), -- calls have the order of the document
  CHECK ((node_id IS NOT NULL) + (person_id IS NOT NULL) + (department_id IS NOT NULL) + (who IS NOT NULL) = 1),
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, person_id) REFERENCES people (production_id, id),
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX day_calls_node ON day_calls (node_id);
CREATE TABLE day_banners (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  before_node_id INTEGER, -- null: after the last scene
  text TEXT NOT NULL,
  PRIMARY KEY (shoot_day_id, position), -- banners have the order of the document
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id),
  FOREIGN KEY (production_id, before_node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE frozen_productions (
  production_id INTEGER PRIMARY KEY REFERENCES productions (id),
  frozen_at TEXT NOT NULL
) STRICT;
CREATE TRIGGER refuse_frozen_change_sets BEFORE INSERT ON change_sets
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;
CREATE TRIGGER refuse_frozen_drafts BEFORE INSERT ON script_drafts
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;
CREATE TABLE former_tokens (
  token_sha256 TEXT PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  prefix TEXT NOT NULL,
  replaced_at TEXT NOT NULL,
  ends_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX former_tokens_prefix ON former_tokens (prefix);
CREATE INDEX former_tokens_key ON former_tokens (key_id);
CREATE INDEX activity_gone ON activity (gone_node_id) WHERE gone_node_id IS NOT NULL;
CREATE TRIGGER activity_returns AFTER INSERT ON nodes BEGIN
  UPDATE activity SET node_id = NEW.id, gone_node_id = NULL WHERE gone_node_id = NEW.id;
END;
CREATE TABLE change_set_media (
  change_set_id INTEGER NOT NULL REFERENCES change_sets (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL REFERENCES blobs (sha256) ON DELETE CASCADE,
  PRIMARY KEY (change_set_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_set_media_sha256 ON change_set_media (sha256);
CREATE TABLE "sessions" (
  id INTEGER PRIMARY KEY,
  token_sha256 TEXT NOT NULL,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  key_id INTEGER REFERENCES api_keys (id), -- null: the admin, who came by a one-time link
  seen_as INTEGER,                         -- the engagement through whose reach the admin looks
  browser TEXT NOT NULL,                   -- what the browser calls itself, to recognise a session in the list
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  FOREIGN KEY (production_id, seen_as) REFERENCES engagements (production_id, id)
) STRICT;
CREATE UNIQUE INDEX sessions_token ON sessions (token_sha256);
CREATE INDEX sessions_key ON sessions (key_id);
CREATE TRIGGER keep_last_id_productions AFTER DELETE ON productions WHEN NOT EXISTS (SELECT 1 FROM productions WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('productions', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_episodes AFTER DELETE ON episodes WHEN NOT EXISTS (SELECT 1 FROM episodes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('episodes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_departments AFTER DELETE ON departments WHEN NOT EXISTS (SELECT 1 FROM departments WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('departments', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_people AFTER DELETE ON people WHEN NOT EXISTS (SELECT 1 FROM people WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('people', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_nodes AFTER DELETE ON nodes WHEN NOT EXISTS (SELECT 1 FROM nodes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('nodes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_versions AFTER DELETE ON versions WHEN NOT EXISTS (SELECT 1 FROM versions WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('versions', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_ingredients AFTER DELETE ON ingredients WHEN NOT EXISTS (SELECT 1 FROM ingredients WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('ingredients', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_deliveries AFTER DELETE ON deliveries WHEN NOT EXISTS (SELECT 1 FROM deliveries WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('deliveries', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_approvals AFTER DELETE ON approvals WHEN NOT EXISTS (SELECT 1 FROM approvals WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('approvals', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_department_notes AFTER DELETE ON department_notes WHEN NOT EXISTS (SELECT 1 FROM department_notes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('department_notes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_notes AFTER DELETE ON notes WHEN NOT EXISTS (SELECT 1 FROM notes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('notes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_vendors AFTER DELETE ON vendors WHEN NOT EXISTS (SELECT 1 FROM vendors WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('vendors', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_purchase_orders AFTER DELETE ON purchase_orders WHEN NOT EXISTS (SELECT 1 FROM purchase_orders WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('purchase_orders', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_cost_reports AFTER DELETE ON cost_reports WHEN NOT EXISTS (SELECT 1 FROM cost_reports WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('cost_reports', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_cost_report_lines AFTER DELETE ON cost_report_lines WHEN NOT EXISTS (SELECT 1 FROM cost_report_lines WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('cost_report_lines', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_jobs AFTER DELETE ON jobs WHEN NOT EXISTS (SELECT 1 FROM jobs WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('jobs', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_activity AFTER DELETE ON activity WHEN NOT EXISTS (SELECT 1 FROM activity WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('activity', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_engagements AFTER DELETE ON engagements WHEN NOT EXISTS (SELECT 1 FROM engagements WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('engagements', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_grants AFTER DELETE ON grants WHEN NOT EXISTS (SELECT 1 FROM grants WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('grants', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_api_keys AFTER DELETE ON api_keys WHEN NOT EXISTS (SELECT 1 FROM api_keys WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('api_keys', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_submissions AFTER DELETE ON submissions WHEN NOT EXISTS (SELECT 1 FROM submissions WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('submissions', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_storage_installs AFTER DELETE ON storage_installs WHEN NOT EXISTS (SELECT 1 FROM storage_installs WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('storage_installs', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_asset_files AFTER DELETE ON asset_files WHEN NOT EXISTS (SELECT 1 FROM asset_files WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('asset_files', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_oauth_clients AFTER DELETE ON oauth_clients WHEN NOT EXISTS (SELECT 1 FROM oauth_clients WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('oauth_clients', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_audit AFTER DELETE ON audit WHEN NOT EXISTS (SELECT 1 FROM audit WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('audit', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_storage_events AFTER DELETE ON storage_events WHEN NOT EXISTS (SELECT 1 FROM storage_events WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('storage_events', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_storage_tasks AFTER DELETE ON storage_tasks WHEN NOT EXISTS (SELECT 1 FROM storage_tasks WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('storage_tasks', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_sessions AFTER DELETE ON sessions WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('sessions', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_script_drafts AFTER DELETE ON script_drafts WHEN NOT EXISTS (SELECT 1 FROM script_drafts WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('script_drafts', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_script_scenes AFTER DELETE ON script_scenes WHEN NOT EXISTS (SELECT 1 FROM script_scenes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('script_scenes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE INDEX activity_newest ON activity (production_id, placed_at DESC, id DESC);
CREATE INDEX submissions_newest ON submissions (delivery_id, placed_at, id);
CREATE TRIGGER refuse_frozen_productions_insert AFTER INSERT ON productions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_productions_update AFTER UPDATE ON productions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.id, NEW.id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_productions_delete AFTER DELETE ON productions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_episodes_insert AFTER INSERT ON episodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_episodes_update AFTER UPDATE ON episodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_episodes_delete AFTER DELETE ON episodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_departments_insert AFTER INSERT ON departments WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_departments_update AFTER UPDATE ON departments WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_departments_delete AFTER DELETE ON departments WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_people_insert AFTER INSERT ON people WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_people_update AFTER UPDATE ON people WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_people_delete AFTER DELETE ON people WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_nodes_insert AFTER INSERT ON nodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_nodes_update AFTER UPDATE ON nodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_nodes_delete AFTER DELETE ON nodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_scenes_insert AFTER INSERT ON scenes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_scenes_update AFTER UPDATE ON scenes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_scenes_delete AFTER DELETE ON scenes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_node_links_insert AFTER INSERT ON node_links WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_node_links_update AFTER UPDATE ON node_links WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_node_links_delete AFTER DELETE ON node_links WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_versions_insert AFTER INSERT ON versions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_versions_update AFTER UPDATE ON versions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_versions_delete AFTER DELETE ON versions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_ingredients_insert AFTER INSERT ON ingredients WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_ingredients_update AFTER UPDATE ON ingredients WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_ingredients_delete AFTER DELETE ON ingredients WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_version_ingredients_insert AFTER INSERT ON version_ingredients WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_version_ingredients_update AFTER UPDATE ON version_ingredients WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_version_ingredients_delete AFTER DELETE ON version_ingredients WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_strips_insert AFTER INSERT ON strips WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_strips_update AFTER UPDATE ON strips WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_strips_delete AFTER DELETE ON strips WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_deliveries_insert AFTER INSERT ON deliveries WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_deliveries_update AFTER UPDATE ON deliveries WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_deliveries_delete AFTER DELETE ON deliveries WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_delivery_nodes_insert AFTER INSERT ON delivery_nodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_delivery_nodes_update AFTER UPDATE ON delivery_nodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_delivery_nodes_delete AFTER DELETE ON delivery_nodes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_approvals_insert AFTER INSERT ON approvals WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_approvals_update AFTER UPDATE ON approvals WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_approvals_delete AFTER DELETE ON approvals WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_approval_steps_insert AFTER INSERT ON approval_steps WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_approval_steps_update AFTER UPDATE ON approval_steps WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_approval_steps_delete AFTER DELETE ON approval_steps WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_former_steps_insert AFTER INSERT ON former_steps WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_former_steps_update AFTER UPDATE ON former_steps WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_former_steps_delete AFTER DELETE ON former_steps WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_department_notes_insert AFTER INSERT ON department_notes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_department_notes_update AFTER UPDATE ON department_notes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_department_notes_delete AFTER DELETE ON department_notes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_notes_insert AFTER INSERT ON notes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_notes_update AFTER UPDATE ON notes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_notes_delete AFTER DELETE ON notes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_vendors_insert AFTER INSERT ON vendors WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_vendors_update AFTER UPDATE ON vendors WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_vendors_delete AFTER DELETE ON vendors WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_purchase_orders_insert AFTER INSERT ON purchase_orders WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_purchase_orders_update AFTER UPDATE ON purchase_orders WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_purchase_orders_delete AFTER DELETE ON purchase_orders WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_cost_reports_insert AFTER INSERT ON cost_reports WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_cost_reports_update AFTER UPDATE ON cost_reports WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_cost_reports_delete AFTER DELETE ON cost_reports WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_cost_report_lines_insert AFTER INSERT ON cost_report_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_cost_report_lines_update AFTER UPDATE ON cost_report_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_cost_report_lines_delete AFTER DELETE ON cost_report_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_jobs_insert AFTER INSERT ON jobs WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_jobs_update AFTER UPDATE ON jobs WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_jobs_delete AFTER DELETE ON jobs WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_engagements_insert AFTER INSERT ON engagements WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_engagements_update AFTER UPDATE ON engagements WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_engagements_delete AFTER DELETE ON engagements WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_grants_insert AFTER INSERT ON grants WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_grants_update AFTER UPDATE ON grants WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_grants_delete AFTER DELETE ON grants WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_submissions_insert AFTER INSERT ON submissions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_submissions_update AFTER UPDATE ON submissions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_submissions_delete AFTER DELETE ON submissions WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_storage_installs_insert AFTER INSERT ON storage_installs WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_storage_installs_update AFTER UPDATE ON storage_installs WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_storage_installs_delete AFTER DELETE ON storage_installs WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_storage_tasks_insert AFTER INSERT ON storage_tasks WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_storage_tasks_update AFTER UPDATE ON storage_tasks WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_storage_tasks_delete AFTER DELETE ON storage_tasks WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_media_insert AFTER INSERT ON media WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_media_update AFTER UPDATE ON media WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_media_delete AFTER DELETE ON media WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_calls_insert AFTER INSERT ON day_calls WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_calls_update AFTER UPDATE ON day_calls WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_calls_delete AFTER DELETE ON day_calls WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_banners_insert AFTER INSERT ON day_banners WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_banners_update AFTER UPDATE ON day_banners WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_banners_delete AFTER DELETE ON day_banners WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE INDEX script_scenes_node ON script_scenes (node_id) WHERE node_id IS NOT NULL;
CREATE INDEX events_created ON events (created_at);
CREATE INDEX activity_created ON activity (created_at);
CREATE INDEX audit_created ON audit (created_at);
CREATE INDEX storage_events_received ON storage_events (received_at);
CREATE TABLE bad_conditions (
  name TEXT PRIMARY KEY,
  since TEXT NOT NULL
) STRICT;
CREATE INDEX submissions_of_production ON submissions (production_id, placed_at, id);
CREATE INDEX script_scenes_order ON script_scenes (production_id, place);
CREATE TABLE invitations (
  key_id INTEGER PRIMARY KEY REFERENCES api_keys (id),
  production_id INTEGER NOT NULL REFERENCES productions (id),
  token_sha256 TEXT NOT NULL UNIQUE, -- a link is found by its hash
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT,
  key_ends_at TEXT -- when the key ends once the link was used; null: it does not
) STRICT;
CREATE TABLE page_marks (
  production_id INTEGER NOT NULL REFERENCES productions (id),
  name TEXT NOT NULL,      -- such as "call sheet 12" or "checklist"
  marked_at TEXT NOT NULL,
  marked_by TEXT NOT NULL,
  content TEXT NOT NULL,   -- JSON
  PRIMARY KEY (production_id, name)
) STRICT;
CREATE INDEX notes_node ON notes (node_id, placed_at);
CREATE INDEX notes_version ON notes (node_id, version_id, placed_at) WHERE version_id IS NOT NULL;
CREATE INDEX approval_steps_version ON approval_steps (version_id) WHERE version_id IS NOT NULL;
CREATE INDEX former_steps_version ON former_steps (version_id) WHERE version_id IS NOT NULL;
CREATE TABLE begin_links (
  token_sha256 TEXT NOT NULL PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER begin_links_used AFTER INSERT ON productions BEGIN
  DELETE FROM begin_links;
END;
CREATE TABLE change_operations (
  set_id INTEGER NOT NULL REFERENCES change_sets (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,       -- in the order in which they were listed
  section TEXT NOT NULL,
  thing INTEGER NOT NULL,
  field TEXT NOT NULL,          -- the list of the thing to which the row belongs; empty for its own row
  of_table TEXT NOT NULL,
  key TEXT NOT NULL CHECK (json_type(key) = 'object'),
  before TEXT NOT NULL CHECK (json_valid(before)), -- cells, a row, the rows of a list, or null
  after TEXT NOT NULL CHECK (json_valid(after)),
  PRIMARY KEY (set_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_operations_thing ON change_operations (section, thing, set_id);
CREATE INDEX submissions_answers ON submissions (answers) WHERE answers IS NOT NULL;
CREATE UNIQUE INDEX nodes_external_id ON nodes (production_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX versions_external_id ON versions (production_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX submissions_external_id ON submissions (engagement_id, external_id) WHERE external_id IS NOT NULL;
CREATE TRIGGER search_nodes_update AFTER UPDATE OF kind, label, status, department_id, performer ON nodes
WHEN (OLD.kind, OLD.label, OLD.status, OLD.department_id, OLD.performer)
  IS NOT (NEW.kind, NEW.label, NEW.status, NEW.department_id, NEW.performer) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TABLE media_typing (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last TEXT NOT NULL -- the hash of the last file that was typed
) STRICT;
CREATE TABLE shoot_days (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  day_number INTEGER NOT NULL,
  unit TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
  date TEXT NOT NULL,
  general_call TEXT,
  status TEXT NOT NULL,
  location TEXT,
  notes TEXT,
  wrap TEXT CHECK (wrap IS NULL OR wrap GLOB '[0-2][0-9]:[0-5][0-9]'), time_zone TEXT,
  UNIQUE (production_id, id),              -- the target of composite references
  UNIQUE (production_id, day_number, unit) -- a number means one day of a unit; also the order of the schedule
) STRICT;
CREATE TRIGGER keep_last_id_shoot_days AFTER DELETE ON shoot_days WHEN NOT EXISTS (SELECT 1 FROM shoot_days WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('shoot_days', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER refuse_frozen_shoot_days_insert AFTER INSERT ON shoot_days WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_shoot_days_update AFTER UPDATE ON shoot_days WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_shoot_days_delete AFTER DELETE ON shoot_days WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER search_shoot_days_insert AFTER INSERT ON shoot_days BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 4) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_shoot_days_delete AFTER DELETE ON shoot_days BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 4) ON CONFLICT DO NOTHING;
END;
CREATE TABLE day_lines (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  label TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (shoot_day_id, position), -- lines have the order of the document
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE day_issues (
  production_id INTEGER NOT NULL REFERENCES productions (id),
  shoot_day_id INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0), -- counted from 1 for each day
  issued_at TEXT NOT NULL,
  issued_by TEXT, -- the name of the person of the key; NULL for a key of nobody
  bundle TEXT NOT NULL, -- JSON
  PRIMARY KEY (shoot_day_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX day_issues_production ON day_issues (production_id);
CREATE INDEX day_issues_age ON day_issues (issued_at);
CREATE TRIGGER refuse_frozen_day_lines_insert AFTER INSERT ON day_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_lines_update AFTER UPDATE ON day_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_lines_delete AFTER DELETE ON day_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_issues BEFORE INSERT ON day_issues
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;
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
CREATE INDEX script_changes_status ON script_changes (production_id, status);
CREATE INDEX script_changes_moved ON script_changes (moved_by) WHERE moved_by IS NOT NULL;
CREATE TRIGGER keep_last_id_script_changes AFTER DELETE ON script_changes WHEN NOT EXISTS (SELECT 1 FROM script_changes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('script_changes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER refuse_frozen_script_changes_insert AFTER INSERT ON script_changes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_script_changes_update AFTER UPDATE ON script_changes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_script_changes_delete AFTER DELETE ON script_changes WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE VIRTUAL TABLE search USING fts5 (
  label,                  -- what the thing is called, in the form of searches, as body is
  body,                   -- what else finds it, in the order in which an excerpt shows it
  shown_label UNINDEXED,
  shown_body UNINDEXED,
  kind UNINDEXED,
  production_id UNINDEXED,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'",
  prefix = '1 2 3 4 5 6'
);
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);
CREATE VIRTUAL TABLE search_labels USING fts5 (
  label,
  kind UNINDEXED,
  production_id UNINDEXED,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'",
  prefix = '1 2 3'
);
CREATE VIRTUAL TABLE search_scripts USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);
CREATE TABLE day_parts (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  scene_node_id INTEGER NOT NULL,
  text TEXT NOT NULL, -- such as pt 2
  pages TEXT, -- such as 1 3/8
  PRIMARY KEY (shoot_day_id, position), -- parts have the order of the document
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id),
  FOREIGN KEY (production_id, scene_node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER refuse_frozen_day_parts_insert AFTER INSERT ON day_parts WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_parts_update AFTER UPDATE ON day_parts WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_parts_delete AFTER DELETE ON day_parts WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE VIEW searched_scenes (id, label, body, production_id) AS
SELECT s.node_id,
  ifnull((SELECT code FROM episodes WHERE id = s.episode_id) || '/', '') || s.number || ' ' || s.slugline,
  concat_ws(' · ', s.synopsis,
    (SELECT group_concat(value, ', ') FROM json_each(s.elements, '$.cast') WHERE type = 'text'),
    (SELECT group_concat(c.label, ', ') FROM node_links l JOIN nodes c ON c.id = l.to_node_id
     WHERE l.from_node_id = s.node_id AND c.kind = 'character'),
    (SELECT group_concat(iif(typeof(key) = 'text', key, atom), ', ') FROM json_each(s.elements, '$.background')),
    iif(n.status = 'omitted', 'omitted', NULL), s.revision_color),
  n.production_id
FROM scenes s JOIN nodes n ON n.id = s.node_id;
CREATE VIEW searched_shoot_days (id, label, body, production_id) AS
SELECT d.id, iif(d.unit = '', 'Day', d.unit) || ' ' || d.day_number, concat_ws(' · ', d.date, d.location, d.general_call, d.status), d.production_id
FROM shoot_days d;
CREATE VIEW searched_purchase_orders (id, label, body, production_id) AS
SELECT o.id, ifnull(o.number, o.description),
  concat_ws(' · ', iif(o.number IS NULL, NULL, o.description), (SELECT name FROM vendors WHERE id = o.vendor_id),
    (SELECT name FROM departments WHERE id = o.department_id), o.status, o.date),
  o.production_id
FROM purchase_orders o;
CREATE TRIGGER search_shoot_days_update AFTER UPDATE OF day_number, unit, date, location, general_call, status ON shoot_days
WHEN (OLD.day_number, OLD.unit, OLD.date, OLD.location, OLD.general_call, OLD.status)
  IS NOT (NEW.day_number, NEW.unit, NEW.date, NEW.location, NEW.general_call, NEW.status) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 4) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_vendors_insert AFTER INSERT ON vendors BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 5) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_vendors_update AFTER UPDATE OF name ON vendors WHEN OLD.name IS NOT NEW.name BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 5) ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 + 6 FROM purchase_orders WHERE vendor_id = NEW.id ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_vendors_delete AFTER DELETE ON vendors BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 5) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_engagements_insert AFTER INSERT ON engagements BEGIN
  INSERT INTO search_changes VALUES (NEW.vendor_id * 10 + 5) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_engagements_update AFTER UPDATE OF title, vendor_id ON engagements
WHEN (OLD.title, OLD.vendor_id) IS NOT (NEW.title, NEW.vendor_id) BEGIN
  INSERT INTO search_changes SELECT OLD.vendor_id * 10 + 5 UNION SELECT NEW.vendor_id * 10 + 5 ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_engagements_delete AFTER DELETE ON engagements BEGIN
  INSERT INTO search_changes VALUES (OLD.vendor_id * 10 + 5) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_purchase_orders_insert AFTER INSERT ON purchase_orders BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 6) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_purchase_orders_update AFTER UPDATE OF number, description, vendor_id, department_id, status, date ON purchase_orders
WHEN (OLD.number, OLD.description, OLD.vendor_id, OLD.department_id, OLD.status, OLD.date)
  IS NOT (NEW.number, NEW.description, NEW.vendor_id, NEW.department_id, NEW.status, NEW.date) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 6) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_purchase_orders_delete AFTER DELETE ON purchase_orders BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 6) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_departments_insert AFTER INSERT ON departments BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 7) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_departments_update AFTER UPDATE OF name, slug, mission ON departments
WHEN (OLD.name, OLD.slug, OLD.mission) IS NOT (NEW.name, NEW.slug, NEW.mission) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 7) ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 FROM nodes WHERE department_id = NEW.id AND OLD.name IS NOT NEW.name ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 + 1 FROM people WHERE department_id = NEW.id AND OLD.name IS NOT NEW.name ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 + 6 FROM purchase_orders WHERE department_id = NEW.id AND OLD.name IS NOT NEW.name ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_departments_delete AFTER DELETE ON departments BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 7) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_former_update AFTER UPDATE OF before ON change_operations
WHEN OLD.of_table IN ('nodes', 'people', 'deliveries', 'approvals', 'vendors', 'departments') AND coalesce(OLD.before ->> '$.label', OLD.before ->> '$.title', OLD.before ->> '$.name') IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (OLD.thing * 10 + CASE OLD.section WHEN 'assets' THEN 0 WHEN 'people' THEN 1 WHEN 'deliveries' THEN 2 WHEN 'approvals' THEN 3 WHEN 'vendors' THEN 5 ELSE 7 END) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_former_delete AFTER DELETE ON change_operations
WHEN OLD.of_table IN ('nodes', 'people', 'deliveries', 'approvals', 'vendors', 'departments') AND coalesce(OLD.before ->> '$.label', OLD.before ->> '$.title', OLD.before ->> '$.name') IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (OLD.thing * 10 + CASE OLD.section WHEN 'assets' THEN 0 WHEN 'people' THEN 1 WHEN 'deliveries' THEN 2 WHEN 'approvals' THEN 3 WHEN 'vendors' THEN 5 ELSE 7 END) ON CONFLICT DO NOTHING;
END;
CREATE INDEX engagements_vendor ON engagements (vendor_id);
CREATE VIEW former_labels (section, thing, label) AS
SELECT section, thing,
  before ->> CASE section WHEN 'assets' THEN '$.label' WHEN 'deliveries' THEN '$.title' WHEN 'approvals' THEN '$.title' ELSE '$.name' END
FROM change_operations
WHERE field = '' AND after <> 'null' AND of_table IN ('nodes', 'people', 'deliveries', 'approvals', 'vendors', 'departments');
CREATE VIEW searched_assets (id, label, body, production_id) AS
SELECT n.id, n.label,
  concat_ws(' · ', n.kind, n.performer, (SELECT name FROM departments WHERE id = n.department_id), n.status,
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'assets' AND f.thing = n.id AND f.label <> n.label))),
  n.production_id
FROM nodes n WHERE n.kind <> 'scene';
CREATE VIEW searched_people (id, label, body, production_id) AS
SELECT p.id, p.name,
  concat_ws(' · ', p.role, (SELECT name FROM departments WHERE id = p.department_id),
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'people' AND f.thing = p.id AND f.label <> p.name))),
  p.production_id
FROM people p;
CREATE VIEW searched_deliveries (id, label, body, production_id) AS
SELECT d.id, d.title,
  concat_ws(' · ', d.external_to, d.status, d.due,
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'deliveries' AND f.thing = d.id AND f.label <> d.title))),
  d.production_id
FROM deliveries d;
CREATE VIEW searched_approvals (id, label, body, production_id) AS
SELECT a.id, a.title,
  concat_ws(' · ', replace(a.status, '_', ' '),
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'approvals' AND f.thing = a.id AND f.label <> a.title))),
  a.production_id
FROM approvals a;
CREATE VIEW searched_vendors (id, label, body, production_id) AS
SELECT v.id, v.name,
  concat_ws(' · ', (SELECT group_concat(e.title, ', ' ORDER BY e.id) FROM engagements e WHERE e.vendor_id = v.id),
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'vendors' AND f.thing = v.id AND f.label <> v.name))),
  v.production_id
FROM vendors v;
CREATE VIEW searched_departments (id, label, body, production_id) AS
SELECT d.id, d.name,
  concat_ws(' · ', d.slug, nullif(d.mission, ''),
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'departments' AND f.thing = d.id AND f.label <> d.name))),
  d.production_id
FROM departments d;
CREATE TRIGGER search_script_scenes_insert AFTER INSERT ON script_scenes WHEN NEW.node_id IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (NEW.node_id * 10 + 8) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_script_scenes_update AFTER UPDATE OF node_id, scene, approved ON script_scenes
WHEN OLD.node_id IS NOT NEW.node_id OR ifnull(OLD.approved, OLD.scene) ->> '$.text' IS NOT ifnull(NEW.approved, NEW.scene) ->> '$.text' BEGIN
  INSERT INTO search_changes SELECT node_id * 10 + 8 FROM (SELECT OLD.node_id AS node_id UNION SELECT NEW.node_id) WHERE node_id IS NOT NULL ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_script_scenes_delete AFTER DELETE ON script_scenes WHEN OLD.node_id IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (OLD.node_id * 10 + 8) ON CONFLICT DO NOTHING;
END;
INSERT INTO epochs (epoch, started_at) VALUES (lower(hex(randomblob(4))), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
