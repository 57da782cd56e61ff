-- Resumable uploads. An upload whose time is over counts as removed.

-- name: create_upload
INSERT INTO uploads (id, key_id, length, received, metadata, file_name, created_at, expires_at)
VALUES (:id, :key_id, :length, 0, :metadata, :file_name, :now, :expires_at)

-- name: get_upload
SELECT id, key_id, length, received, metadata, file_name, sha256, content_type, expires_at, used_at
FROM uploads WHERE id = :id AND key_id = :key_id AND expires_at > :now

-- name: count_uploads
SELECT count(*) FROM uploads WHERE key_id = :key_id AND used_at IS NULL AND expires_at > :now

-- name: acknowledge_upload
UPDATE uploads SET received = :received, expires_at = :expires_at WHERE id = :id AND used_at IS NULL

-- name: complete_upload
UPDATE uploads SET sha256 = :sha256, content_type = :content_type WHERE id = :id AND received = length

-- name: use_upload
UPDATE uploads SET used_at = :now WHERE id = :id AND key_id = :key_id AND used_at IS NULL AND expires_at > :now

-- name: delete_upload
DELETE FROM uploads WHERE id = :id

-- name: list_uploads
SELECT id, received, used_at, expires_at FROM uploads
