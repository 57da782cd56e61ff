-- Order: most recently detected first, or that of the script.

-- fragment: script_change_row
-- Change c of production p.
jsonb_remove(
  json_object(
    'id', c.id, 'kind', c.kind, 'status', c.status, 'scene_number', c.scene_number, 'node_id', c.node_id,
    'summary', c.summary, 'revision_color', c.revision_color, 'detected_at', c.detected_at, 'decided_at', c.decided_at,
    'fields', json(c.fields),
    'draft', (
      SELECT jsonb_object('id', d.id, 'file', d.file, 'color', d.color, 'imported_at', d.imported_at)
      FROM script_drafts d WHERE d.id = c.draft_id),
    'superseded_by', c.superseded_by, 'decided_by', c.decided_by, 'note', c.note,
    'episode_id', c.episode_id, 'episode_code', (SELECT code FROM episodes WHERE id = c.episode_id)),
  iif(p.format = 'single', '$.episode_id', '$.~'), iif(p.format = 'single', '$.episode_code', '$.~'))

-- fragment: concerned_by_change
-- Whom the scene of change c concerns: the departments of its assets, the vendors who see it or one of them, and its
-- shoot days.
(WITH concerned (node_id) AS (
   SELECT c.node_id UNION SELECT link.to_node_id FROM node_links link WHERE link.from_node_id = c.node_id)
 SELECT jsonb_object(
   'departments', (
     SELECT jsonb_group_array(slug ORDER BY slug) FROM (
       SELECT DISTINCT d.slug FROM concerned CROSS JOIN nodes n ON n.id = concerned.node_id CROSS JOIN departments d ON d.id = n.department_id)),
   'vendors', (
     SELECT jsonb_group_array(vendor ORDER BY vendor) FROM ({{vendors_who_see}})),
   'shoot_days', (
     SELECT jsonb_group_array(
       jsonb_remove(
         json_object('id', day.id, 'day_number', day.day_number, 'unit', day.unit, 'date', day.date, 'status', day.status), {{absent_unit}})
       ORDER BY day.day_number, day.unit)
     FROM strips CROSS JOIN shoot_days day ON day.id = strips.shoot_day_id
     WHERE strips.node_id = c.node_id)))

-- fragment: place_in_script
-- Orders change c of a series by its episode, then by its scene; an added scene comes after the one that it follows, or
-- of whose number its own is made.
printf('%06d.%018d.%d', ifnull((SELECT position FROM episodes WHERE id = c.episode_id), 0),
  CASE WHEN c.node_id IS NOT NULL THEN (SELECT script_order FROM scenes WHERE node_id = c.node_id)
    WHEN json_type(c.fields, '$.order.to') = 'null' THEN 0
    ELSE coalesce(
      (SELECT script_order FROM scenes WHERE production_id = c.production_id AND ifnull(episode_id, 0) = ifnull(c.episode_id, 0)
         AND number = c.fields ->> '$.order.to'),
      (SELECT script_order FROM scenes WHERE production_id = c.production_id AND ifnull(episode_id, 0) = ifnull(c.episode_id, 0)
         AND number = rtrim(c.scene_number, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')),
      999999999999999999) END,
  c.node_id IS NULL)

-- name: get_last_of_color
-- When the production last got a draft or a change of a color; null if it has none.
SELECT max(at) AS at FROM (
  SELECT imported_at AS at FROM script_drafts WHERE production_id = :production_id AND name_key(color) = name_key(:color)
  UNION ALL SELECT detected_at FROM script_changes WHERE production_id = :production_id AND name_key(revision_color) = name_key(:color))

-- name: list_script_changes
-- On an episodic production only the changes of one episode, unless :all_episodes is set. Changes without an episode
-- are then not returned. The rows are ordered before their documents are made, one after the other: the list is read in
-- steps.
WITH {{showing}},
chosen (place, tie) AS MATERIALIZED (
  SELECT iif(:order IS NULL, c.detected_at, {{place_in_script}}) AS place, c.id AS tie
FROM script_changes c JOIN productions p ON p.id = c.production_id
WHERE c.production_id = :production_id
  AND (:status = 'all' OR c.status = :status)
  AND (p.format = 'single' OR :all_episodes OR iif(
    :episode_id IS NULL, c.episode_id = p.current_episode_id, c.episode_id IN (SELECT value FROM json_each(:episode_id))))
  AND (:since IS NULL OR c.detected_at > :since)
  AND (:former_colors IS NULL OR c.revision_color NOT IN (SELECT value FROM json_each(:former_colors)))
  AND iif(:order IS NULL,
    (c.detected_at, c.id) < (coalesce(:after, '~'), coalesce(:after_tie, 0)),
    ({{place_in_script}}, c.id) > (coalesce(:after, ''), coalesce(:after_tie, 0)))
ORDER BY iif(:order IS NULL, c.detected_at, NULL) DESC, iif(:order IS NULL, c.id, NULL) DESC, place, tie LIMIT :limit
)
SELECT place, tie,
  json(iif(:include IS NOT NULL, jsonb_insert({{script_change_row}}, '$.concerns', {{concerned_by_change}}), {{script_change_row}})) AS document
FROM chosen CROSS JOIN script_changes c ON c.id = chosen.tie CROSS JOIN productions p ON p.id = c.production_id
