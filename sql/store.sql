-- What the store writes with every change: the event log, and the index that search reads. Which productions are
-- frozen, and which life of the database this is.

-- name: record_event
INSERT INTO events (production_id, type, subject_kind, subject_id, actor, activity_id, data, created_at)
VALUES (:production_id, :type, :subject_kind, :subject_id, :actor, :activity_id, :data, :now)

-- name: has_search_changes
SELECT EXISTS (SELECT 1 FROM search_changes)

-- name: remove_searched
DELETE FROM search WHERE rowid IN (SELECT id FROM search_changes)

-- name: remove_searched_labels
-- Those that are others now, once `search` has them.
DELETE FROM search_labels WHERE rowid IN (
  SELECT id FROM search_changes c
  WHERE (SELECT label FROM search_labels WHERE rowid = c.id) IS NOT (SELECT label FROM search WHERE rowid = c.id)
)

-- name: remove_searched_scripts
DELETE FROM search_scripts WHERE rowid IN (SELECT id - 8 FROM search_changes WHERE id % 10 = 8)

-- name: add_searched_scripts
INSERT INTO search_scripts (rowid, text)
SELECT c.id - 8, search_form(ifnull(t.approved, t.scene) ->> '$.text') FROM search_changes c JOIN script_scenes t ON t.node_id = c.id / 10
WHERE c.id % 10 = 8
GROUP BY c.id

-- name: add_searched
INSERT INTO search (rowid, label, body, shown_label, shown_body, kind, production_id)
SELECT id, search_form(label), search_form(body), label, body, kind, production_id FROM (
  SELECT c.id, t.label, t.body, 'scene' AS kind, t.production_id FROM search_changes c JOIN searched_scenes t ON t.id = c.id / 10 WHERE c.id % 10 = 0
  UNION ALL SELECT c.id, t.label, t.body, 'asset', t.production_id FROM search_changes c JOIN searched_assets t ON t.id = c.id / 10 WHERE c.id % 10 = 0
  UNION ALL SELECT c.id, t.label, t.body, 'person', t.production_id FROM search_changes c JOIN searched_people t ON t.id = c.id / 10 WHERE c.id % 10 = 1
  UNION ALL SELECT c.id, t.label, t.body, 'delivery', t.production_id FROM search_changes c JOIN searched_deliveries t ON t.id = c.id / 10 WHERE c.id % 10 = 2
  UNION ALL SELECT c.id, t.label, t.body, 'approval', t.production_id FROM search_changes c JOIN searched_approvals t ON t.id = c.id / 10 WHERE c.id % 10 = 3
  UNION ALL SELECT c.id, t.label, t.body, 'shoot_day', t.production_id FROM search_changes c JOIN searched_shoot_days t ON t.id = c.id / 10 WHERE c.id % 10 = 4
  UNION ALL SELECT c.id, t.label, t.body, 'vendor', t.production_id FROM search_changes c JOIN searched_vendors t ON t.id = c.id / 10 WHERE c.id % 10 = 5
  UNION ALL SELECT c.id, t.label, t.body, 'purchase_order', t.production_id FROM search_changes c JOIN searched_purchase_orders t ON t.id = c.id / 10 WHERE c.id % 10 = 6
  UNION ALL SELECT c.id, t.label, t.body, 'department', t.production_id FROM search_changes c JOIN searched_departments t ON t.id = c.id / 10 WHERE c.id % 10 = 7
)

-- name: add_searched_labels
INSERT INTO search_labels (rowid, label, kind, production_id)
SELECT s.rowid, s.label, s.kind, s.production_id FROM search_changes c CROSS JOIN search s ON s.rowid = c.id
WHERE NOT EXISTS (SELECT 1 FROM search_labels WHERE rowid = c.id)

-- name: settle_search_changes
DELETE FROM search_changes

-- name: get_frozen
SELECT frozen_at FROM frozen_productions WHERE production_id = :production_id

-- name: get_epoch
SELECT epoch FROM epochs ORDER BY id DESC LIMIT 1

-- name: start_epoch
INSERT INTO epochs (epoch, started_at) VALUES (lower(hex(randomblob(4))), :now)

-- name: probe_database
SELECT ifnull((SELECT max(id) FROM productions), 0) + ifnull((SELECT max(id) FROM api_keys), 0) + ifnull((SELECT max(id) FROM nodes), 0)
  + ifnull((SELECT max(id) FROM media), 0) + ifnull((SELECT max(id) FROM events), 0)
