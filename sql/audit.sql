-- The audit log of admin actions. Order: newest first.

-- name: list_audit
SELECT id, created_at, actor, action, production_id, detail
FROM audit
WHERE (:production_id IS NULL OR production_id = :production_id) AND (:before IS NULL OR id < :before)
ORDER BY id DESC
LIMIT :limit

-- name: record_admin_action
INSERT INTO audit (created_at, actor, action, production_id, detail)
VALUES (:now, :actor, :action, :production_id, :detail)
