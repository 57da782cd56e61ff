-- What only admins read.

-- name: list_audit
-- Without a production, that of all.
SELECT id AS place,
  json_object('id', id, 'created_at', created_at, 'actor', actor, 'action', action, 'production_id', production_id, 'detail', json(detail)) AS document
FROM audit
WHERE (:production_id IS NULL OR production_id = :production_id) AND id < coalesce(:after, :before, 9e18)
ORDER BY id DESC
LIMIT :limit
