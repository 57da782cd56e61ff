-- Import and export of production documents. The rows of the sections and of their lists are written and read by
-- statements that are made of the columns of their tables (src/features/documents/changes/rows.ts); what reads more
-- than one table is here. Imported rows get ids in the order of the document.

-- name: import_find_title
SELECT id FROM productions WHERE name_key(title) = name_key(:title)

-- name: touch_shown_nodes
-- Moves the time of the last change of nodes whose row in a list shows something that changed: a strip or a note of the
-- node, the slug of a department, the code of an episode.
UPDATE nodes SET updated_at = :now WHERE production_id = :production_id AND updated_at < :now AND id IN (
  SELECT value FROM json_each(:nodes)
  UNION SELECT n.id FROM json_each(:departments) d JOIN nodes n ON n.production_id = :production_id AND n.department_id = d.value
  UNION SELECT note.node_id FROM json_each(:departments) d JOIN department_notes note ON note.department_id = d.value
  UNION SELECT s.node_id FROM json_each(:episodes) e JOIN scenes s ON s.production_id = :production_id AND s.episode_id = e.value)

-- name: list_day_sheets
-- The shoot days of dates, a list in JSON, with what clashes are found in.
SELECT json_object(
  {{sheet_row}},
  'scenes', (
    SELECT jsonb_group_array(
      json_object('name', {{scene_name}}, 'characters', {{sheet_characters}}) ORDER BY strips.position)
    FROM {{sheet_scenes}})) AS sheet
FROM shoot_days day
WHERE day.production_id = :production_id AND day.date IN (SELECT value FROM json_each(:dates))
ORDER BY day.day_number, day.unit

-- name: stamp_nodes
-- Gives the nodes that a transaction changed the time of its end.
UPDATE nodes SET updated_at = :now WHERE production_id = :production_id AND updated_at IN (:asked, :begun)

-- name: stamp_media
-- The same for media.
UPDATE media SET updated_at = :now WHERE production_id = :production_id AND updated_at = :begun

-- name: forget_node_in_activity
UPDATE activity SET node_id = NULL, gone_node_id = node_id WHERE production_id = :production_id AND node_id = :id

-- name: list_scenes_with_asset
-- The scenes that an asset is linked to, in script order.
SELECT s.node_id FROM node_links l JOIN scenes s ON s.node_id = l.from_node_id
WHERE s.production_id = :production_id AND l.to_node_id = :node_id ORDER BY s.script_order, s.node_id

-- name: list_unlinked_calls
SELECT shoot_day_id, position, who FROM day_calls WHERE production_id = :production_id AND who IS NOT NULL

-- name: find_asking_drafts
-- Whether a draft raised a change that waits, or that waited until an update made it.
SELECT EXISTS (
  SELECT 1 FROM script_changes WHERE production_id = :production_id AND draft_id IS NOT NULL AND (status = 'pending' OR superseded_by = draft_id))

-- name: delete_sessions_as
-- Deletes the admin's sessions that look through the reach of an engagement.
DELETE FROM sessions WHERE production_id = :production_id AND seen_as = :id
