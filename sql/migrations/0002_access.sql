-- Who may see what: vendors' engagements and their grants, keys, sign-ins made from keys, and the media that reach decides on.

-- A vendor's engagement on a production. It is active until it is ended.
CREATE TABLE engagements (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  vendor_id INTEGER NOT NULL,
  title TEXT NOT NULL,
  created_at TEXT NOT NULL,
  ended_at TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, vendor_id) REFERENCES vendors (production_id, id)
) STRICT;

-- One verb on one target for one engagement. Live: not revoked, not expired, its engagement active.
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
-- Every clamped statement asks here: an engagement's grants by their target, of which two columns are null.
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
-- A token is found by its hash and by nothing else.
CREATE UNIQUE INDEX api_keys_token ON api_keys (token_sha256);
CREATE UNIQUE INDEX api_keys_prefix ON api_keys (prefix); -- revoking by prefix must mean one key

-- A vendor's work handed in on a delivery.
CREATE TABLE submissions (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL,
  engagement_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  title TEXT NOT NULL,
  note TEXT,
  created_by TEXT,
  created_at TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id),
  FOREIGN KEY (production_id, engagement_id) REFERENCES engagements (production_id, id)
) STRICT;
CREATE INDEX submissions_delivery ON submissions (delivery_id); -- foreign-key checks and export

CREATE TABLE storage_installs (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  filespace TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at TEXT NOT NULL,
  UNIQUE (production_id, id),       -- the target of composite references
  UNIQUE (production_id, filespace) -- a filespace is installed once; it is switched on and off
) STRICT;
-- Events name a filespace and must match the one that is active.
CREATE UNIQUE INDEX storage_installs_active ON storage_installs (production_id) WHERE active = 1;

-- The library's row of one file in a filespace. A path that is gone keeps its row, so that a late event can be told from a new one.
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

-- One thing that can be fetched: of a version, of a delivery, handed in with a submission, of an ingredient, or the
-- stand-in of a library file. At most one of these owners; reach decides by the owner.
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
  created_at TEXT,
  UNIQUE (production_id, id), -- the target of composite references
  CHECK ((version_id IS NOT NULL) + (delivery_id IS NOT NULL AND work_item_id IS NULL) + (work_item_id IS NOT NULL)
       + (ingredient_id IS NOT NULL) + (asset_file_id IS NOT NULL) <= 1),
  FOREIGN KEY (production_id, version_id) REFERENCES versions (production_id, id),
  FOREIGN KEY (production_id, delivery_id) REFERENCES deliveries (production_id, id),
  FOREIGN KEY (production_id, work_item_id) REFERENCES submissions (production_id, id),
  FOREIGN KEY (production_id, ingredient_id) REFERENCES ingredients (production_id, id),
  FOREIGN KEY (production_id, asset_file_id) REFERENCES asset_files (production_id, id)
) STRICT;
-- The media route looks a path up within the ticket's production.
CREATE UNIQUE INDEX media_path ON media (production_id, path);
CREATE UNIQUE INDEX media_version ON media (version_id) WHERE version_id IS NOT NULL;          -- a version has one still
CREATE UNIQUE INDEX media_ingredient ON media (ingredient_id) WHERE ingredient_id IS NOT NULL; -- so has an ingredient
CREATE UNIQUE INDEX media_asset_file ON media (asset_file_id) WHERE asset_file_id IS NOT NULL; -- a file has one stand-in
CREATE INDEX media_delivery ON media (delivery_id) WHERE delivery_id IS NOT NULL;              -- a delivery's own media
CREATE INDEX media_work_item ON media (work_item_id) WHERE work_item_id IS NOT NULL;           -- the files of a submission
CREATE INDEX media_sha256 ON media (sha256);                                                   -- is a blob still needed

-- A look brief that a provider made of a still, kept so that it is made once.
CREATE TABLE look_briefs (
  version_id INTEGER NOT NULL REFERENCES versions (id),
  sha256 TEXT NOT NULL,
  brief TEXT NOT NULL CHECK (json_type(brief) = 'object'),
  created_at TEXT NOT NULL,
  PRIMARY KEY (version_id, sha256) -- another still on the same version is another look
) STRICT, WITHOUT ROWID;

-- Clients that registered themselves for signing in (RFC 7591).
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

-- Access and refresh tokens. A family is one sign-in: it ends as a whole.
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
CREATE INDEX oauth_tokens_family ON oauth_tokens (family); -- ending a sign-in as a whole
CREATE INDEX oauth_tokens_expires ON oauth_tokens (expires_at); -- the sweep

-- The first answer to a request that carried an Idempotency-Key.
CREATE TABLE idempotent_answers (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  idempotency_key TEXT NOT NULL,
  request_sha256 TEXT NOT NULL,
  status INTEGER,
  body TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (key_id, idempotency_key) -- one answer for a key's idempotency key
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_answers_created ON idempotent_answers (created_at); -- the sweep after 24 hours

-- What an admin did on the command line.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  created_at TEXT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  production_id INTEGER,
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;
