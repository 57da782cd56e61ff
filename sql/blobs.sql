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
