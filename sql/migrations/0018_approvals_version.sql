-- An approval can be about a version of its asset. The status that the version had before it was decided is kept, so that
-- reopening can give it back.
ALTER TABLE approvals ADD COLUMN version_id INTEGER REFERENCES versions (id) CHECK (version_id IS NULL OR node_id IS NOT NULL);
ALTER TABLE approvals ADD COLUMN version_status TEXT CHECK (version_status IS NULL OR version_id IS NOT NULL);
CREATE INDEX approvals_version ON approvals (version_id) WHERE version_id IS NOT NULL; -- settle_version_status
