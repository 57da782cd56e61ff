-- The rotation of keys, and submissions for admins and for those who look over them.

-- name: keep_former_token
INSERT INTO former_tokens (token_sha256, key_id, prefix, replaced_at, ends_at)
SELECT token_sha256, id, prefix, :now, :ends_at FROM api_keys WHERE id = :id

-- name: replace_token
UPDATE api_keys SET token_sha256 = :token_sha256, prefix = :prefix WHERE id = :id

-- name: list_production_submissions
-- Those of a production, or the one with the id; by id.
SELECT w.id, w.production_id, w.delivery_id, d.title AS delivery, w.engagement_id, v.name AS vendor, w.title, w.status, w.created_at,
  count(m.id) AS files, ifnull(sum(blob.size), 0) AS bytes
FROM submissions w
JOIN deliveries d ON d.id = w.delivery_id
JOIN engagements e ON e.id = w.engagement_id
JOIN vendors v ON v.id = e.vendor_id
LEFT JOIN media m ON m.work_item_id = w.id
LEFT JOIN blobs blob ON blob.sha256 = m.sha256
WHERE w.production_id = :production_id OR w.id = :id
GROUP BY w.id ORDER BY w.id

-- name: list_submission_media
SELECT id AS media_id, sha256 FROM media WHERE work_item_id = :id ORDER BY id

-- name: delete_submission
DELETE FROM submissions WHERE production_id = :production_id AND id = :id
