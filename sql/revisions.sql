-- How often the parts of a production changed, and which life of the database this is.

-- name: bump_revision
INSERT INTO revisions (production_id, part, revision) VALUES (:production_id, :part, 1)
ON CONFLICT (production_id, part) DO UPDATE SET revision = revision + 1

-- name: list_revisions
SELECT part, revision FROM revisions WHERE production_id = :production_id ORDER BY part

-- name: get_epoch
SELECT epoch FROM epochs ORDER BY id DESC LIMIT 1

-- name: start_epoch
INSERT INTO epochs (epoch, started_at) VALUES (lower(hex(randomblob(4))), :now)
