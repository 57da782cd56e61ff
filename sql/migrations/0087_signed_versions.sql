-- The version that a decided step signed. It is not known of what was decided before.

ALTER TABLE approval_steps ADD COLUMN version_id INTEGER REFERENCES versions (id) CHECK (version_id IS NULL OR status <> 'pending');
ALTER TABLE former_steps ADD COLUMN version_id INTEGER REFERENCES versions (id) CHECK (version_id IS NULL OR status <> 'pending');
CREATE INDEX approval_steps_version ON approval_steps (version_id) WHERE version_id IS NOT NULL; -- foreign-key checks
CREATE INDEX former_steps_version ON former_steps (version_id) WHERE version_id IS NOT NULL;     -- foreign-key checks
