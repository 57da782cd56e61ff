-- The pairs that --map stored under names.

-- name: get_import_map
SELECT pairs FROM import_maps WHERE production_id = :production_id AND name = :name

-- name: list_import_maps
SELECT name FROM import_maps WHERE production_id = :production_id ORDER BY name

-- name: keep_import_map
INSERT INTO import_maps (production_id, name, pairs) VALUES (:production_id, :name, :pairs)
ON CONFLICT DO UPDATE SET pairs = excluded.pairs
