-- Bytes on disk and the media that need them.

-- name: get_blob
SELECT sha256, size, content_type FROM blobs WHERE sha256 = :sha256

-- name: put_blob
INSERT INTO blobs (sha256, size, content_type, created_at)
VALUES (:sha256, :size, :content_type, :created_at)
ON CONFLICT (sha256) DO NOTHING

-- name: delete_unneeded_blobs
DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.sha256 = blobs.sha256)

-- name: delete_unneeded_blob
DELETE FROM blobs WHERE sha256 = :sha256 AND NOT EXISTS (SELECT 1 FROM media WHERE media.sha256 = :sha256)

-- name: create_media
-- The path carries the id, so it is unique without asking; the next id is known because writers take turns. Never one
-- that a removed medium had.
INSERT INTO media (id, production_id, path, kind, label, sha256, version_id, delivery_id, work_item_id, ingredient_id, asset_file_id, created_by, created_at)
SELECT next.id, :production_id, next.id || '/' || :file_name, :kind, :label, :sha256,
  :version_id, :delivery_id, :work_item_id, :ingredient_id, :asset_file_id, :created_by, :created_at
FROM (SELECT ifnull(max(seq), 0) + 1 AS id FROM sqlite_sequence WHERE name = 'media') next
