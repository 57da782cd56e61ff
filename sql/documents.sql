-- Import and export of production documents. The rows of the sections and of their lists are written and read by statements that are made of the
-- columns of their tables (src/features/documents/nouns/rows.ts); what reads more than one table is here. Imported rows get ids in the order of
-- the document.

-- name: import_find_title
SELECT id FROM productions WHERE name_key(title) = name_key(:title)

-- name: touch_shown_nodes
-- Moves the time of the last change of nodes whose row in a list shows something that changed: a strip or a note of the node, the slug of a
-- department, the code of an episode.
UPDATE nodes SET updated_at = :now WHERE production_id = :production_id AND updated_at < :now AND id IN (
  SELECT value FROM json_each(:nodes)
  UNION SELECT n.id FROM json_each(:departments) d JOIN nodes n ON n.production_id = :production_id AND n.department_id = d.value
  UNION SELECT note.node_id FROM json_each(:departments) d JOIN department_notes note ON note.department_id = d.value
  UNION SELECT s.node_id FROM json_each(:episodes) e JOIN scenes s ON s.production_id = :production_id AND s.episode_id = e.value)

-- name: list_bindings
-- The things of a production to which rows refer that no document has.
SELECT 'engagement' AS noun, engagement_id AS id FROM api_keys WHERE production_id = :production_id AND engagement_id IS NOT NULL
UNION SELECT 'person', person_id FROM api_keys WHERE production_id = :production_id AND person_id IS NOT NULL
UNION SELECT 'episode', episode_id FROM script_drafts WHERE production_id = :production_id AND episode_id IS NOT NULL
UNION SELECT 'episode', episode_id FROM script_scenes WHERE production_id = :production_id AND episode_id IS NOT NULL
UNION SELECT 'scene', node_id FROM script_scenes WHERE production_id = :production_id AND node_id IS NOT NULL
ORDER BY noun, id

-- name: forget_node_in_activity
UPDATE activity SET node_id = NULL, gone_node_id = node_id WHERE production_id = :production_id AND node_id = :id

-- name: export_media
SELECT m.id, m.version_id, m.delivery_id, m.work_item_id, m.ingredient_id, m.asset_file_id,
  m.path, m.kind, m.label, m.created_by, m.created_at, m.sha256, b.content_type
FROM media m JOIN blobs b ON b.sha256 = m.sha256
WHERE m.production_id = :production_id ORDER BY m.id

-- name: export_scenes
SELECT n.id, s.number, s.episode_id, s.slugline, s.synopsis, n.status, s.revision_color, s.elements, s.script_order, n.created_at, n.updated_at
FROM scenes s JOIN nodes n ON n.id = s.node_id
WHERE s.production_id = :production_id ORDER BY s.script_order

-- name: export_assets
SELECT * FROM nodes WHERE production_id = :production_id AND kind <> 'scene' ORDER BY id

-- name: export_node_links
SELECT l.from_node_id, l.to_node_id FROM nodes n JOIN node_links l ON l.from_node_id = n.id
WHERE n.production_id = :production_id ORDER BY l.from_node_id, l.to_node_id

-- name: list_scenes_with_asset
-- The scenes that an asset is linked to, in script order.
SELECT s.node_id FROM node_links l JOIN scenes s ON s.node_id = l.from_node_id
WHERE s.production_id = :production_id AND l.to_node_id = :node_id ORDER BY s.script_order, s.node_id

-- name: export_versions
SELECT v.* FROM nodes n JOIN versions v ON v.node_id = n.id
WHERE n.production_id = :production_id ORDER BY v.node_id, v.version

-- name: list_unlinked_calls
SELECT shoot_day_id, position, who FROM day_calls WHERE production_id = :production_id AND who IS NOT NULL

-- name: link_call
UPDATE day_calls SET node_id = :node_id, person_id = :person_id, department_id = :department_id, who = NULL
WHERE production_id = :production_id AND shoot_day_id = :shoot_day_id AND position = :position

-- name: export_delivery_nodes
SELECT d.delivery_id, d.node_id FROM delivery_nodes d LEFT JOIN scenes s ON s.node_id = d.node_id
WHERE d.production_id = :production_id ORDER BY d.delivery_id, s.script_order, d.node_id

-- name: export_approvals
SELECT a.*, v.version FROM approvals a LEFT JOIN versions v ON v.id = a.version_id
WHERE a.production_id = :production_id ORDER BY a.id

-- name: export_steps
SELECT step.*, v.version FROM approval_steps step LEFT JOIN versions v ON v.id = step.version_id
WHERE step.production_id = :production_id ORDER BY step.approval_id, step.position

-- name: export_former_steps
SELECT step.*, v.version FROM former_steps step LEFT JOIN versions v ON v.id = step.version_id
WHERE step.production_id = :production_id ORDER BY step.approval_id, step.round, step.position

-- name: export_notes
SELECT n.*, v.version FROM notes n LEFT JOIN versions v ON v.id = n.version_id
WHERE n.production_id = :production_id ORDER BY n.id

-- name: export_asset_files
-- mtime_ns is returned as text, because a JavaScript number cannot represent every 64-bit integer.
SELECT id, install_id, path, state, size, CAST(mtime_ns AS TEXT) AS mtime_ns, detected_at FROM asset_files
WHERE production_id = :production_id ORDER BY install_id, path

-- name: find_asking_drafts
-- Whether a draft raised a change that waits, or that waited until an update made it.
SELECT EXISTS (
  SELECT 1 FROM script_changes WHERE production_id = :production_id AND draft_id IS NOT NULL AND (status = 'pending' OR superseded_by = draft_id))

-- name: script_moment
-- Another one after each change of the stored script.
SELECT concat(
  (SELECT max(id) FROM script_drafts WHERE production_id = :production_id), '/',
  (SELECT max(id) FROM change_sets WHERE production_id = :production_id))

-- name: last_moment
-- Another one after each event of the production.
SELECT max(
  ifnull((SELECT max(id) FROM events WHERE production_id = :production_id), 0),
  ifnull((SELECT id FROM event_floors WHERE production_id = :production_id), 0))

-- name: delete_sessions_as
-- Deletes the admin's sessions that look through the reach of an engagement.
DELETE FROM sessions WHERE production_id = :production_id AND seen_as = :id
