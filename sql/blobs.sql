-- Rows of stored bytes. A blob is unneeded if no media row refers to it.

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
