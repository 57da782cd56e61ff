-- Rows of stored bytes. A blob is unneeded if no media row refers to it, and no change set that removed such a row.
-- neededBlobs in src/core/store/blob_rows.ts finds the others in a database of any schema.

-- name: get_blob
SELECT sha256, size, content_type FROM blobs WHERE sha256 = :sha256

-- name: put_blobs
-- The rows of a list of staged files.
INSERT INTO blobs (sha256, size, content_type, created_at)
SELECT value ->> '$.sha256', value ->> '$.size', value ->> '$.content_type', :created_at FROM json_each(:staged) WHERE true
ON CONFLICT (sha256) DO NOTHING

-- fragment: blob_is_unneeded
(NOT EXISTS (SELECT 1 FROM media WHERE media.sha256 = blobs.sha256)
  AND NOT EXISTS (SELECT 1 FROM change_set_media kept WHERE kept.sha256 = blobs.sha256))

-- name: delete_unneeded_blobs
DELETE FROM blobs WHERE {{blob_is_unneeded}}

-- name: delete_unneeded_blob
DELETE FROM blobs WHERE sha256 = :sha256 AND {{blob_is_unneeded}}

-- name: get_media_typing
SELECT last FROM media_typing

-- name: set_media_typing
UPDATE media_typing SET last = :last

-- name: end_media_typing
DELETE FROM media_typing

-- name: list_typed_blobs
-- Order: by hash.
SELECT sha256, content_type FROM blobs WHERE sha256 > :last ORDER BY sha256 LIMIT :limit

-- name: set_blob_types
-- Gives files other types.
UPDATE blobs SET content_type = given.value FROM json_each(:types) given WHERE blobs.sha256 = given.key

-- name: touch_typed_media
-- The media whose files got another type have changed. Nothing of a frozen production changes.
UPDATE media SET updated_at = :now WHERE sha256 IN (SELECT key FROM json_each(:types))
  AND production_id NOT IN (SELECT production_id FROM frozen_productions)
