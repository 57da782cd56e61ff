-- The audit log of admin actions. Order: newest first.

-- name: record_admin_action
INSERT INTO audit (id, created_at, actor, action, production_id, detail)
VALUES (1 + max(ifnull((SELECT max(id) FROM audit), 0), ifnull((SELECT id FROM last_ids WHERE part = 'audit'), 0)),
  :now, :actor, :action, :production_id, :detail)
