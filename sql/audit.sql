-- The audit log of admin actions. Order: newest first.

-- name: get_newest_action
SELECT max(id) FROM audit WHERE production_id = :production_id

-- name: list_actions_since
SELECT detail FROM audit WHERE production_id = :production_id AND id > :since AND action = :action

-- name: record_admin_action
INSERT INTO audit (id, created_at, actor, action, production_id, detail)
VALUES (1 + max(ifnull((SELECT max(id) FROM audit), 0), ifnull((SELECT id FROM last_ids WHERE part = 'audit'), 0)),
  :now, :actor, :action, :production_id, :detail)

-- name: list_audit
-- Without a production, that of all.
SELECT id AS place,
  json_object('id', id, 'created_at', created_at, 'actor', actor, 'action', action, 'production_id', production_id, 'detail', json(detail)) AS document
FROM audit
WHERE (:production_id IS NULL OR production_id = :production_id) AND id < coalesce(:after, :before, 9e18)
ORDER BY id DESC
LIMIT :limit
