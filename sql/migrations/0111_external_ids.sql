-- The ids that other programs have for assets, versions and submissions. Each of the three has names of its own.
ALTER TABLE nodes ADD COLUMN external_id TEXT CHECK (external_id IS NULL OR kind <> 'scene');
CREATE UNIQUE INDEX nodes_external_id ON nodes (production_id, external_id) WHERE external_id IS NOT NULL;

ALTER TABLE versions ADD COLUMN external_id TEXT;
CREATE UNIQUE INDEX versions_external_id ON versions (production_id, external_id) WHERE external_id IS NOT NULL;

ALTER TABLE submissions ADD COLUMN external_id TEXT;
CREATE UNIQUE INDEX submissions_external_id ON submissions (engagement_id, external_id) WHERE external_id IS NOT NULL;
