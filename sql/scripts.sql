-- Drafts of scripts and their text, for comparison. No operation returns any of it.

-- fragment: is_part_of_move
-- Whether change c is the omission or the addition of a scene that a pending change moves.
EXISTS (SELECT 1 FROM script_changes m WHERE m.id = c.moved_by AND m.status = 'pending')

-- fragment: script_change_with_draft
SELECT c.id, c.production_id, c.kind, c.status, c.node_id, c.scene_number, c.fields, c.revision_color, c.draft_id, ifnull(d.departments, '{}') AS departments,
  c.episode_id, (SELECT code FROM episodes WHERE id = c.episode_id) AS episode, c.superseded_by,
  (SELECT id FROM script_changes WHERE moved_by = c.id AND kind = 'omitted') AS omission,
  (SELECT id FROM script_changes WHERE moved_by = c.id AND kind = 'added') AS addition
FROM script_changes c LEFT JOIN script_drafts d ON d.id = c.draft_id

-- name: find_episode_id
SELECT id FROM episodes WHERE production_id = :production_id AND code = :code

-- name: list_script_scenes
SELECT id, node_id, place, scene, approved, dismissed, kept, by_hand FROM script_scenes
WHERE production_id = :production_id AND episode_id IS :episode_id
ORDER BY place, id

-- name: list_script_drafts
SELECT id, file FROM script_drafts WHERE production_id = :production_id ORDER BY id

-- name: list_rows_of_scripts
-- Every row of stored scripts.
SELECT section, id FROM (
  SELECT 'script_drafts' AS section, +id AS id FROM script_drafts WHERE production_id = :production_id
  UNION ALL SELECT 'script_scenes', +id FROM script_scenes WHERE production_id = :production_id
  UNION ALL SELECT 'script_changes', +id FROM script_changes WHERE production_id = :production_id)
ORDER BY section, id

-- name: find_newest_draft
SELECT id, dismissed FROM script_drafts WHERE production_id = :production_id AND episode_id IS :episode_id ORDER BY id DESC LIMIT 1

-- name: list_changes_of_script
-- The changes of a script that wait, of drafts or as documents brought them; or those of drafts that would wait, if an
-- update had not made them. Those for which a pending move stands wait, too; the move itself is of no script.
{{script_change_with_draft}}
WHERE c.production_id = :production_id AND iif(c.draft_id IS NULL, c.episode_id, d.episode_id) IS :episode_id
  AND c.kind <> 'moved'
  AND iif(:which = 'answered', c.superseded_by = c.draft_id AND NOT {{is_part_of_move}},
    (c.status = 'pending' OR {{is_part_of_move}}) AND (c.draft_id IS NULL) = (:which = 'brought'))
ORDER BY c.id

-- name: list_asking_scripts
-- The scripts with a change of a draft that waits, or that waited until an update made it.
SELECT DISTINCT d.episode_id, (SELECT code FROM episodes WHERE id = d.episode_id) AS episode
FROM script_changes c JOIN script_drafts d ON d.id = c.draft_id
WHERE c.production_id = :production_id AND c.kind <> 'moved' AND (c.status = 'pending' OR c.superseded_by = c.draft_id OR {{is_part_of_move}})

-- name: list_proposed_texts
-- What stands under the heading of each scene with a pending change of a draft, and what would.
SELECT c.id, ifnull(s.approved, s.scene) ->> '$.text' AS before, s.scene ->> '$.text' AS after
FROM script_changes c JOIN script_scenes s ON s.node_id = c.node_id
WHERE c.production_id = :production_id AND c.status = 'pending' AND c.draft_id IS NOT NULL AND c.kind <> 'moved'
UNION ALL
SELECT c.id, (SELECT coalesce(former.approved ->> '$.text', former.scene ->> '$.last', former.scene ->> '$.text') FROM script_scenes former WHERE former.node_id = c.node_id),
  s.scene ->> '$.text'
FROM script_changes c JOIN script_scenes s ON s.production_id = c.production_id AND s.episode_id = c.episode_id AND s.node_id IS NULL AND s.scene ->> '$.number' = c.scene_number
WHERE c.production_id = :production_id AND c.status = 'pending' AND c.kind = 'moved'
UNION ALL
SELECT c.id, NULL, s.scene ->> '$.text'
FROM script_scenes s JOIN script_changes c ON c.production_id = s.production_id AND c.scene_number = s.scene ->> '$.number' AND c.episode_id IS s.episode_id
WHERE s.production_id = :production_id AND s.node_id IS NULL AND c.status = 'pending' AND c.node_id IS NULL AND c.draft_id IS NOT NULL

-- name: list_concerned_days
-- The shoot days of scenes that pending changes of drafts omit, bring back or renumber, and of those whose number a new
-- one has with letters behind it.
WITH asking (change_id, what, node_id, becomes) AS MATERIALIZED (
  SELECT c.id, CASE c.fields ->> '$.omitted.to' WHEN 1 THEN 'omitted' WHEN 0 THEN 'back' ELSE 'number' END, c.node_id,
    c.fields ->> '$.number.to'
  FROM script_changes c
  WHERE c.production_id = :production_id AND c.status = 'pending' AND c.draft_id IS NOT NULL AND c.node_id IS NOT NULL
    AND (c.fields -> '$.omitted' IS NOT NULL OR c.fields -> '$.number' IS NOT NULL)
  UNION ALL
  SELECT c.id, 'part', s.node_id, c.scene_number
  FROM script_changes c CROSS JOIN scenes s ON s.production_id = c.production_id AND ifnull(s.episode_id, 0) = ifnull(c.episode_id, 0)
    AND s.number = rtrim(c.scene_number, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
  WHERE c.production_id = :production_id AND c.status = 'pending' AND c.draft_id IS NOT NULL AND c.node_id IS NULL
    AND s.number <> c.scene_number AND c.fields -> '$.omitted' IS NULL)
SELECT a.change_id, a.what, s.number, s.episode_id, (SELECT code FROM episodes WHERE id = s.episode_id) AS episode, a.becomes, d.id AS day_id, d.unit, d.day_number, d.date
FROM asking a CROSS JOIN strips t ON t.node_id = a.node_id CROSS JOIN shoot_days d ON d.id = t.shoot_day_id CROSS JOIN scenes s ON s.node_id = a.node_id
ORDER BY d.day_number, d.unit, t.position, a.change_id

-- name: list_taken_numbers
-- The scenes whose numbers pending changes of drafts take: whether they are omitted, and whether a pending change of
-- their own frees the number.
WITH freed (node_id) AS MATERIALIZED (
  SELECT node_id FROM script_changes
  WHERE production_id = :production_id AND status = 'pending' AND node_id IS NOT NULL
    AND (fields ->> '$.omitted.to' OR fields -> '$.number' IS NOT NULL))
SELECT c.id AS change_id, s.number, (SELECT code FROM episodes WHERE id = s.episode_id) AS episode,
  iif(n.status = 'omitted', 'omitted', iif(n.id IN (SELECT node_id FROM freed), 'freed', 'held')) AS what
FROM script_changes c CROSS JOIN scenes s ON s.production_id = c.production_id AND ifnull(s.episode_id, 0) = ifnull(c.episode_id, 0)
  AND s.number = iif(c.node_id IS NULL, c.scene_number, c.fields ->> '$.number.to') AND s.node_id IS NOT c.node_id
  CROSS JOIN nodes n ON n.id = s.node_id
WHERE c.production_id = :production_id AND c.status = 'pending' AND c.draft_id IS NOT NULL
ORDER BY c.id, s.node_id

-- name: list_left_links
-- The links to characters whom approved changes took out of the cast of a scene, and whom nobody keeps there: those
-- that persons made, since those of imports went with the change. Each with the newest of these changes.
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

-- name: find_script_change
{{script_change_with_draft}}
WHERE c.id = :id

-- name: list_scene_moves
-- The changes that move scenes to another episode, with the omission and the addition for which each stands.
SELECT m.id, m.status, m.draft_id, m.superseded_by, o.id AS omission, o.status AS omission_status, a.id AS addition, a.status AS addition_status,
  EXISTS (SELECT 1 FROM nodes WHERE id = m.node_id AND status = 'omitted') AS is_omitted
FROM script_changes m LEFT JOIN script_changes o ON o.moved_by = m.id AND o.kind = 'omitted' LEFT JOIN script_changes a ON a.moved_by = m.id AND a.kind = 'added'
WHERE m.production_id = :production_id AND m.kind = 'moved' AND m.draft_id IS NOT NULL
ORDER BY m.id

-- name: list_open_scenes
-- The scenes of a series whose omission or addition waits, also for a move, and those whose omission was approved, with
-- their last text.
SELECT c.kind, c.id AS change_id, c.node_id, e.id AS episode_id, e.code AS episode, s.scene ->> '$.number' AS number,
  iif(c.kind = 'omitted', ifnull(s.approved, s.scene), s.scene) ->> '$.text' AS text, c.revision_color AS color
FROM script_changes c JOIN episodes e ON e.id = c.episode_id
  JOIN script_scenes s ON s.production_id = c.production_id AND s.episode_id = c.episode_id
    AND iif(c.kind = 'omitted', s.node_id = c.node_id, s.node_id IS NULL AND s.scene ->> '$.number' = c.scene_number)
WHERE c.production_id = :production_id AND c.kind IN ('omitted', 'added') AND c.draft_id IS NOT NULL AND (c.status = 'pending' OR {{is_part_of_move}})
UNION ALL
SELECT 'omitted', NULL, n.id, e.id, e.code, z.number, ifnull(s.scene ->> '$.last', s.scene ->> '$.text'), s.scene ->> '$.revision_color'
FROM script_scenes s JOIN nodes n ON n.id = s.node_id AND n.status = 'omitted' JOIN scenes z ON z.node_id = n.id JOIN episodes e ON e.id = z.episode_id
WHERE s.production_id = :production_id AND s.approved IS NULL AND s.scene ->> '$.omitted'
  AND NOT EXISTS (SELECT 1 FROM script_changes m WHERE m.production_id = s.production_id AND m.node_id = n.id AND m.kind = 'moved' AND m.status = 'pending')
ORDER BY 4, 1, 2, 3

-- name: list_standing_texts
-- The scenes of a series that stand, with their last approved text.
SELECT e.id AS episode_id, e.code AS episode, z.number, ifnull(s.approved, s.scene) ->> '$.text' AS text
FROM script_scenes s JOIN nodes n ON n.id = s.node_id AND n.status <> 'omitted' JOIN scenes z ON z.node_id = n.id JOIN episodes e ON e.id = z.episode_id
WHERE s.production_id = :production_id
ORDER BY s.id

-- name: list_approved_renames
-- The renames of characters that were approved, in the order of their decisions.
SELECT c.episode_id, c.fields ->> '$.character.from' AS "from", c.fields ->> '$.character.to' AS "to"
FROM script_changes c JOIN productions p ON p.id = c.production_id
WHERE c.production_id = :production_id AND p.format = 'episodic' AND c.status = 'approved' AND c.fields -> '$.character' IS NOT NULL
ORDER BY c.decided_at, c.id

-- name: count_names_elsewhere
-- How many scenes of the other episodes have the names of :renames in their cast.
WITH casts (name, episode_id, scenes) AS MATERIALIZED (
  SELECT name_key(c.value), s.episode_id, count(DISTINCT s.node_id) FROM scenes s CROSS JOIN json_each(s.elements, '$.cast') c
  WHERE s.production_id = :production_id GROUP BY 1, 2)
SELECT r.value ->> '$.id' AS id, e.code AS episode, casts.scenes AS count
FROM json_each(:renames) r CROSS JOIN casts ON casts.name = name_key(r.value ->> '$.from') AND casts.episode_id <> r.value ->> '$.episode_id'
  CROSS JOIN episodes e ON e.id = casts.episode_id
ORDER BY r.key, e.position, e.id

-- name: list_pending_changes
SELECT id, (SELECT code FROM episodes WHERE id = episode_id) AS episode, fields FROM script_changes WHERE production_id = :production_id AND status = 'pending' ORDER BY id

-- name: get_scene_script
SELECT json({{approved_script}}) AS script
FROM nodes n WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind = 'scene'

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

-- name: count_pending_changes
-- Also the newest draft or colour that they are of.
SELECT count(*) AS count, max(detected_at) AS at, max(revision_color) FILTER (WHERE detected_at = newest) AS color
FROM (SELECT detected_at, revision_color, max(detected_at) OVER () AS newest
  FROM script_changes WHERE production_id = :production_id AND status = 'pending')
