-- How often the tables of a production changed, and which life of the database this is.

-- name: count_asset_files
INSERT INTO table_revisions (production_id, part, revision) VALUES (:production_id, 'asset_files', 1)
ON CONFLICT (production_id, part) DO UPDATE SET revision = revision + 1

-- name: list_revisions
SELECT part, revision FROM table_revisions WHERE production_id = :production_id

-- name: get_frozen
SELECT frozen_at FROM frozen_productions WHERE production_id = :production_id

-- name: freeze_production
INSERT INTO frozen_productions (production_id, frozen_at) VALUES (:production_id, :now) ON CONFLICT DO NOTHING

-- name: thaw_production
DELETE FROM frozen_productions WHERE production_id = :production_id

-- name: get_epoch
SELECT epoch FROM epochs ORDER BY id DESC LIMIT 1

-- name: start_epoch
INSERT INTO epochs (epoch, started_at) VALUES (lower(hex(randomblob(4))), :now)

-- name: record_succession
UPDATE epochs SET succeeds = :former WHERE id = (SELECT max(id) FROM epochs)

-- name: probe_database
SELECT ifnull((SELECT max(id) FROM productions), 0) + ifnull((SELECT max(id) FROM api_keys), 0) + ifnull((SELECT max(id) FROM nodes), 0)
  + ifnull((SELECT max(id) FROM media), 0) + ifnull((SELECT max(id) FROM events), 0)
