-- Drafts of scripts and their text, for comparison. No operation returns any of it.

-- fragment: script_change_with_draft
SELECT c.id, c.production_id, c.kind, c.status, c.node_id, c.scene_number, c.fields, c.revision_color, c.draft_id, ifnull(d.departments, '{}') AS departments,
  c.episode_id, (SELECT code FROM episodes WHERE id = c.episode_id) AS episode, c.superseded_by
FROM script_changes c LEFT JOIN script_drafts d ON d.id = c.draft_id

-- name: find_episode_id
SELECT id FROM episodes WHERE production_id = :production_id AND code = :code

-- name: list_script_scenes
SELECT id, node_id, place, scene, approved, dismissed, kept FROM script_scenes
WHERE production_id = :production_id AND episode_id IS :episode_id
ORDER BY place, id

-- name: put_script_scene
-- Without :id it gets the next one; no id is given twice.
INSERT OR REPLACE INTO script_scenes (id, production_id, episode_id, node_id, place, scene, approved, dismissed, kept)
VALUES (ifnull(:id, 1 + max(ifnull((SELECT max(id) FROM script_scenes), 0), ifnull((SELECT id FROM last_ids WHERE part = 'script_scenes'), 0))),
  :production_id, :episode_id, :node_id, :place, :scene, :approved, :dismissed, :kept)

-- name: delete_script_scene
DELETE FROM script_scenes WHERE production_id = :production_id AND id = :id

-- name: insert_script_draft
INSERT INTO script_drafts (id, production_id, episode_id, file, color, departments, dismissed, imported_at)
VALUES (ifnull(:id, 1 + max(ifnull((SELECT max(id) FROM script_drafts), 0), ifnull((SELECT id FROM last_ids WHERE part = 'script_drafts'), 0))),
  :production_id, :episode_id, :file, :color, :departments, :dismissed, :imported_at)

-- name: list_script_drafts
SELECT id, file FROM script_drafts WHERE production_id = :production_id ORDER BY id

-- name: get_dismissed_renames
SELECT dismissed FROM script_drafts WHERE production_id = :production_id AND episode_id IS :episode_id ORDER BY id DESC LIMIT 1

-- name: set_dismissed_renames
UPDATE script_drafts SET dismissed = :dismissed
WHERE id = (SELECT max(id) FROM script_drafts WHERE production_id = :production_id AND episode_id IS :episode_id)

-- name: list_script_rows
-- What is stored of scripts, in the order in which rows refer to one another; the scenes in the order of their newest draft.
SELECT "table", id, cells FROM (
  SELECT 1 AS rank, 'script_drafts' AS "table", id, NULL AS script, NULL AS place, json_object('episode_id', episode_id,
    'file', file, 'color', color, 'departments', departments, 'dismissed', dismissed, 'imported_at', imported_at) AS cells
  FROM script_drafts WHERE production_id = :production_id
  UNION ALL SELECT 2, 'script_scenes', id, episode_id, place, json_object('episode_id', episode_id, 'node_id', node_id,
    'place', place, 'scene', scene, 'approved', approved, 'dismissed', dismissed, 'kept', kept)
  FROM script_scenes WHERE production_id = :production_id
  UNION ALL SELECT 3, 'script_changes', id, NULL, NULL, json_object('status', status, 'decided_at', decided_at, 'decided_by', decided_by,
    'note', note, 'node_id', node_id, 'fields', fields, 'summary', summary, 'draft_id', draft_id, 'superseded_by', superseded_by)
  FROM script_changes WHERE production_id = :production_id)
ORDER BY rank, script, place, id

-- name: restore_script_change
UPDATE script_changes
SET status = :status, decided_at = :decided_at, decided_by = :decided_by, note = :note, node_id = :node_id, fields = :fields, summary = :summary,
  draft_id = :draft_id, superseded_by = :superseded_by
WHERE production_id = :production_id AND id = :id

-- name: delete_script_draft
DELETE FROM script_drafts WHERE production_id = :production_id AND id = :id

-- name: list_changes_of_script
-- The changes of a script that wait, of drafts or as documents brought them; or those of drafts that would wait, if an update had not made them.
{{script_change_with_draft}}
WHERE c.production_id = :production_id AND iif(c.draft_id IS NULL, c.episode_id, d.episode_id) IS :episode_id
  AND iif(:which = 'answered', c.superseded_by = c.draft_id, c.status = 'pending' AND (c.draft_id IS NULL) = (:which = 'brought'))
ORDER BY c.id

-- name: list_asking_scripts
-- The scripts with a change of a draft that waits, or that waited until an update made it.
SELECT DISTINCT d.episode_id, (SELECT code FROM episodes WHERE id = d.episode_id) AS episode
FROM script_changes c JOIN script_drafts d ON d.id = c.draft_id
WHERE c.production_id = :production_id AND (c.status = 'pending' OR c.superseded_by = c.draft_id)

-- name: answer_script_change
UPDATE script_changes SET status = 'dismissed', decided_at = :now, superseded_by = draft_id WHERE production_id = :production_id AND id = :id

-- name: ask_script_change_again
UPDATE script_changes SET status = 'pending', decided_at = NULL, superseded_by = NULL WHERE production_id = :production_id AND id = :id

-- name: list_proposed_texts
-- What stands under the heading of each scene with a pending change of a draft, and what would.
SELECT c.id, ifnull(s.approved, s.scene) ->> '$.text' AS before, s.scene ->> '$.text' AS after
FROM script_changes c JOIN script_scenes s ON s.node_id = c.node_id
WHERE c.production_id = :production_id AND c.status = 'pending' AND c.draft_id IS NOT NULL
UNION ALL
SELECT c.id, NULL, s.scene ->> '$.text'
FROM script_scenes s JOIN script_changes c ON c.production_id = s.production_id AND c.scene_number = s.scene ->> '$.number' AND c.episode_id IS s.episode_id
WHERE s.production_id = :production_id AND s.node_id IS NULL AND c.status = 'pending' AND c.node_id IS NULL AND c.draft_id IS NOT NULL

-- name: list_left_links
-- The links to characters whom approved changes took out of the cast of a scene, and whom nobody keeps there: those that persons made, since those
-- of imports went with the change. Each with the newest of these changes.
WITH left_cast (node_id, name, change_id) AS MATERIALIZED (
  SELECT c.node_id, name_key(former.value), max(c.id) FROM script_changes c, json_each(c.fields, '$.cast.from') former
  WHERE c.production_id = :production_id AND c.status = 'approved' AND c.node_id IS NOT NULL
    AND name_key(former.value) NOT IN (SELECT name_key(value) FROM json_each(c.fields, '$.cast.to'))
  GROUP BY 1, 2)
SELECT g.change_id, g.node_id, a.id AS asset_id, a.label, s.number, (SELECT code FROM episodes WHERE id = s.episode_id) AS episode
FROM left_cast g CROSS JOIN node_links l ON l.from_node_id = g.node_id
  CROSS JOIN nodes a ON a.id = l.to_node_id AND a.kind = 'character' AND name_key(a.label) = g.name
  CROSS JOIN scenes s ON s.node_id = g.node_id
WHERE g.name NOT IN (SELECT name_key(value) FROM json_each(s.elements, '$.cast'))
  AND NOT EXISTS (
    SELECT 1 FROM script_scenes t, json_each(t.kept) k
    WHERE t.production_id = :production_id AND t.node_id = g.node_id AND k.value = a.id)
ORDER BY g.change_id DESC, a.label, a.id

-- name: get_last_detection
-- The time of the last change or draft of a production, if it is not before :now.
SELECT max(at) FROM (
  SELECT detected_at AS at FROM script_changes WHERE production_id = :production_id AND detected_at >= :now
  UNION ALL SELECT imported_at FROM script_drafts WHERE production_id = :production_id AND imported_at > :now)

-- name: set_change_fields
UPDATE script_changes SET fields = :fields, summary = ifnull(:summary, summary) WHERE production_id = :production_id AND id = :id

-- name: describe_script_change
UPDATE script_changes SET fields = :fields, draft_id = :draft_id WHERE production_id = :production_id AND id = :id

-- name: supersede_script_change
UPDATE script_changes SET status = 'dismissed', decided_at = :now, superseded_by = :draft_id
WHERE production_id = :production_id AND id = :change_id AND status = 'pending'

-- name: find_script_change
{{script_change_with_draft}}
WHERE c.id = :id

-- name: list_pending_changes
SELECT id, fields FROM script_changes WHERE production_id = :production_id AND status = 'pending' ORDER BY id

-- name: decide_script_change
UPDATE script_changes
SET status = :status, decided_at = :now, decided_by = :decided_by, note = :note, node_id = ifnull(node_id, :node_id)
WHERE production_id = :production_id AND id = :id AND status = 'pending'

-- name: get_scene_script
-- A scene as it was last approved, and the draft that has its text; of what an older version stored, the newest draft of its script.
SELECT ifnull(t.approved, t.scene) AS scene, d.id, d.file, d.color, d.imported_at
FROM nodes n
  LEFT JOIN script_scenes t ON t.node_id = n.id AND t.production_id = n.production_id
  LEFT JOIN script_drafts d ON d.id = ifnull(
    (SELECT id FROM script_drafts WHERE id = ifnull(t.approved, t.scene) ->> '$.draft'),
    (SELECT max(id) FROM script_drafts WHERE production_id = t.production_id AND episode_id IS t.episode_id))
WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind = 'scene'
ORDER BY t.id LIMIT 1

-- name: list_approved_script
-- The scenes of a script that the production has, in its order.
SELECT s.number, s.slugline, s.synopsis, n.status = 'omitted' AS omitted, ifnull(t.approved, t.scene) AS scene
FROM script_scenes t JOIN nodes n ON n.id = t.node_id JOIN scenes s ON s.node_id = n.id
WHERE t.production_id = :production_id AND t.episode_id IS :episode_id
ORDER BY s.script_order, n.id

-- name: get_script_change
SELECT json({{script_change_row}})
FROM script_changes c JOIN productions p ON p.id = c.production_id
WHERE c.production_id = :production_id AND c.id = +:id
