-- Media. A medium that is not reached has no row.

-- fragment: medium_document
-- Medium m, whose bytes are of the row blob.
json_object('id', m.id, 'label', m.label, 'sha256', m.sha256, 'size', blob.size, 'content_type', blob.content_type)

-- fragment: delivery_media
-- The own media of delivery d that are reached: not the work that was submitted on it.
(SELECT jsonb_group_array({{medium_document}} ORDER BY m.id)
 FROM media m CROSS JOIN blobs blob ON blob.sha256 = m.sha256
 WHERE m.delivery_id = d.id AND m.work_item_id IS NULL AND {{media_is_reached}})

-- name: get_media
WITH {{reach}}
SELECT json_object(
  'id', m.id, 'kind', m.kind, 'label', m.label,
  'node_id', (SELECT node_id FROM versions WHERE id = m.version_id),
  'delivery_id', m.delivery_id, 'work_item_id', m.work_item_id, 'submission_id', m.work_item_id, 'created_by', m.created_by, 'created_at', m.created_at,
  'sha256', m.sha256, 'size', blob.size, 'content_type', blob.content_type)
FROM media m JOIN blobs blob ON blob.sha256 = m.sha256
WHERE m.production_id = :production_id AND m.id = :id AND {{media_is_reached}}

-- name: list_media
-- Order: by id.
SELECT m.id AS place, json_object(
  'id', m.id, 'kind', m.kind, 'label', m.label, 'sha256', m.sha256, 'size', blob.size, 'content_type', blob.content_type,
  'node_id', (SELECT node_id FROM versions WHERE id = m.version_id), 'version_id', m.version_id, 'delivery_id', m.delivery_id,
  'work_item_id', m.work_item_id, 'created_at', m.created_at, 'updated_at', {{media_updated}}) AS document
FROM media m CROSS JOIN blobs blob ON blob.sha256 = m.sha256
WHERE m.production_id = :production_id AND m.id > coalesce(:after, 0)
  AND (:updated_since IS NULL OR {{media_updated}} >= :updated_since)
ORDER BY m.id LIMIT :limit

-- fragment: media_updated
-- When the row of medium m changed.
coalesce(m.updated_at, m.created_at, (SELECT created_at FROM productions WHERE id = m.production_id))

-- name: get_media_content
WITH {{reach}}
SELECT m.label, m.sha256, blobs.size, blobs.content_type
FROM media m JOIN blobs ON blobs.sha256 = m.sha256
WHERE m.production_id = :production_id AND m.id = :id AND {{media_is_reached}}

-- name: get_media_at_path
WITH {{reach}}
SELECT m.label, m.sha256, blobs.size, blobs.content_type
FROM media m JOIN blobs ON blobs.sha256 = m.sha256
WHERE m.production_id = :production_id AND m.path = :path AND {{media_is_reached}}

-- name: create_media
-- A medium of each of the files. The path contains the id, so it is unique. The next id is known, because write
-- transactions are serialised. It comes from sqlite_sequence, so that the id of a deleted medium is never reused, and
-- is at least :least_id.
INSERT INTO media (id, production_id, path, kind, label, sha256, version_id, delivery_id, work_item_id, ingredient_id, asset_file_id, created_by, created_at, updated_at)
SELECT next.id + file.key, :production_id, (next.id + file.key) || '/' || (file.value ->> '$.file_name'), :kind,
  file.value ->> '$.label', file.value ->> '$.sha256',
  :version_id, :delivery_id, :work_item_id, :ingredient_id, :asset_file_id, :created_by, :created_at, :now
FROM (SELECT CAST(max(ifnull(max(seq), 0) + 1, :least_id) AS INTEGER) AS id FROM sqlite_sequence WHERE name = 'media') next CROSS JOIN json_each(:files) file

-- name: delete_media
DELETE FROM media WHERE production_id = :production_id AND id = :media_id

-- name: get_media_path
SELECT path FROM media WHERE production_id = :production_id AND id = :media_id

-- name: give_media
UPDATE media SET asset_file_id = :asset_file_id WHERE production_id = :production_id AND id = :media_id
