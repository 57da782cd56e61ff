-- Order: script order.

-- fragment: scene_document
-- The document of node n and its scene s. Optional fields that the scene does not have are omitted, not null.
jsonb_remove(
  json_object(
    'node_id', n.id, 'number', s.number, 'slugline', s.slugline, 'synopsis', s.synopsis, 'status', n.status,
    'revision_color', s.revision_color, 'elements', json(s.elements), 'episode_id', s.episode_id,
    'episode_code', (SELECT code FROM episodes WHERE id = s.episode_id)),
  iif(s.synopsis IS NULL, '$.synopsis', '$.~'),
  iif(s.episode_id IS NULL, '$.episode_id', '$.~'),
  iif(s.episode_id IS NULL, '$.episode_code', '$.~'))

-- fragment: scene_reference
-- Names scene s where something else lists it.
'node_id', s.node_id, 'number', s.number, 'slugline', s.slugline, 'episode_code', (SELECT code FROM episodes WHERE id = s.episode_id)

-- fragment: scenes_of_episodes
-- The ids of the scenes of the episodes of :episode_id, a JSON list.
(SELECT node_id FROM scenes WHERE episode_id IN (SELECT value FROM json_each(:episode_id)))

-- fragment: needed_by_episodes
-- The ids of the assets that these scenes need.
(SELECT link.to_node_id FROM node_links link WHERE link.from_node_id IN {{scenes_of_episodes}})

-- fragment: scene_name
-- The number of scene s, behind the code of its episode if it has one.
iif(episode.code IS NULL, '', episode.code || '/') || s.number

-- fragment: node_label
-- How lists of nodes name node n: an asset by its label, a scene by its number and slugline, because sluglines repeat.
iif(n.kind <> 'scene', n.label, (
  SELECT {{scene_name}} || ' ' || s.slugline
  FROM scenes s LEFT JOIN episodes episode ON episode.id = s.episode_id WHERE s.node_id = n.id))

-- fragment: node_reference
-- Node n, as lists of nodes show it.
json_object('node_id', n.id, 'kind', n.kind, 'label', {{node_label}})

-- name: list_scenes
-- The place of a page is the ids of the scenes that were sent, because scenes move in the script. Only what include
-- names is read.
SELECT s.node_id AS place,
  json(CASE WHEN :include IS NOT NULL THEN jsonb_remove(
    jsonb_insert({{scene_document}},
      '$.asset_ids', CASE WHEN 'assets' IN {{included}} THEN (
        SELECT jsonb_group_array(a.id ORDER BY a.id)
        FROM node_links link CROSS JOIN nodes a ON a.id = link.to_node_id
        WHERE link.from_node_id = n.id AND a.kind <> 'scene') END,
      '$.department_notes', CASE WHEN 'department_notes' IN {{included}} THEN {{scene_notes}} END,
      '$.shoot_day_ids', CASE WHEN 'shoot_days' IN {{included}} THEN {{days_of_scene}} END,
      '$.script', CASE WHEN 'script' IN {{included}} THEN {{approved_script}} END),
    iif('assets' IN {{included}}, '$.~', '$.asset_ids'),
    iif('department_notes' IN {{included}}, '$.~', '$.department_notes'),
    iif('shoot_days' IN {{included}}, '$.~', '$.shoot_day_ids'),
    iif('script' IN {{included}}, '$.~', '$.script')) ELSE {{scene_document}} END) AS document
FROM scenes s JOIN nodes n ON n.id = s.node_id
WHERE s.production_id = :production_id
  AND (:status IS NULL OR n.status IN (SELECT value FROM json_each(:status)))
  AND (:episode_id IS NULL OR s.episode_id IN (SELECT value FROM json_each(:episode_id)))
  AND (:updated_since IS NULL OR n.updated_at >= :updated_since)
  AND s.node_id NOT IN (SELECT value FROM json_each(coalesce(:after, '[]')))
ORDER BY s.script_order LIMIT :limit

-- fragment: scene_notes
-- JSON list of the department notes on scene s.
(SELECT jsonb_group_array({{placed_note}} ORDER BY n.id) FROM department_notes n WHERE n.node_id = s.node_id)

-- fragment: days_of_scene
-- JSON list of the ids of the shoot days of scene s.
(SELECT jsonb_group_array(day.id ORDER BY day.day_number, day.unit, day.id)
 FROM strips CROSS JOIN shoot_days day ON day.id = strips.shoot_day_id WHERE strips.node_id = s.node_id)

-- fragment: approved_script
-- The text of scene n as it was last approved, and the draft that has it; of what an older version stored, the newest
-- draft of its script.
(SELECT jsonb_object('scene', json(ifnull(t.approved, t.scene)), 'draft', iif(d.id IS NULL, NULL,
   jsonb_object('id', d.id, 'file', d.file, 'color', d.color, 'imported_at', d.imported_at)))
 FROM script_scenes t
   LEFT JOIN script_drafts d ON d.id = ifnull(
     (SELECT id FROM script_drafts WHERE id = ifnull(t.approved, t.scene) ->> '$.draft'),
     (SELECT max(id) FROM script_drafts WHERE production_id = t.production_id AND episode_id IS t.episode_id))
 WHERE t.node_id = n.id AND t.production_id = n.production_id
 ORDER BY t.id LIMIT 1)

-- name: list_live_scenes_of_episode
-- The scenes of an episode that are not omitted, in script order.
SELECT s.node_id AS id FROM episodes e CROSS JOIN scenes s ON s.episode_id = e.id CROSS JOIN nodes n ON n.id = s.node_id
WHERE e.production_id = :production_id AND name_key(e.code) = name_key(:code) AND n.status <> 'omitted'
ORDER BY s.script_order

-- name: list_scene_ids
SELECT node_id AS id FROM scenes WHERE production_id = :production_id ORDER BY node_id

-- name: get_scene
SELECT json({{scene_document}}) FROM scenes s JOIN nodes n ON n.id = s.node_id
WHERE s.production_id = :production_id AND s.node_id = :node_id
