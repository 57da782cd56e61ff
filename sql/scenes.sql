-- Order: script order.

-- fragment: scene_document
-- The document of node n and its scene s. Optional fields that the scene does not have are omitted, not null.
jsonb_remove(
  jsonb_object(
    'node_id', n.id, 'number', s.number, 'slugline', s.slugline, 'synopsis', s.synopsis, 'status', n.status,
    'revision_color', s.revision_color, 'elements', json(s.elements), 'episode_id', s.episode_id,
    'episode_code', (SELECT code FROM episodes WHERE id = s.episode_id)),
  iif(s.synopsis IS NULL, '$.synopsis', '$.~'),
  iif(s.episode_id IS NULL, '$.episode_id', '$.~'),
  iif(s.episode_id IS NULL, '$.episode_code', '$.~'))

-- name: list_scenes
SELECT json_group_array({{scene_document}} ORDER BY s.script_order)
FROM scenes s JOIN nodes n ON n.id = s.node_id
WHERE s.production_id = :production_id
