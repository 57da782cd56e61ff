-- Each bundle in one statement, for a production-wide key and for an engagement from the same text. Without a row: not found.
-- The root must be reached. The statements answer the document without its etag, which is the hash of it.

-- name: get_scene_bundle
WITH {{reach}},
-- root: the scene
root AS (
  SELECT n.id, {{scene_document}} AS document
  FROM nodes n JOIN scenes s ON s.node_id = n.id
  WHERE n.production_id = :production_id AND n.id = :node_id AND {{node_is_reached}}
),
-- linked: the assets it needs, where they are reached
linked AS (
  SELECT n.id, n.label, n.kind, n.status
  FROM node_links link JOIN nodes n ON n.id = link.to_node_id
  WHERE link.from_node_id = :node_id AND n.kind <> 'scene' AND {{node_is_reached}}
),
-- gated: what an approval may gate here: the scene, its assets, the deliveries that are about it
gated_deliveries AS (
  SELECT d.id
  FROM delivery_nodes about JOIN deliveries d ON d.id = about.delivery_id
  WHERE about.node_id = :node_id AND {{delivery_is_reached}}
)
SELECT json_object(
  'version', 1,
  'scene', json(root.document),
  'assets', json((SELECT json_group_array(json(document)) FROM (
    SELECT json_object('node_id', n.id, 'label', n.label, 'kind', n.kind, 'status', n.status,
      'released_versions', {{released_versions}}) AS document
    FROM linked n ORDER BY n.id))),
  'shoot_days', json((SELECT json_group_array(json(document)) FROM (
    SELECT json_object('id', day.id, 'day_number', day.day_number, 'date', day.date, 'status', day.status, 'general_call', day.general_call) AS document
    FROM strips JOIN shoot_days day ON day.id = strips.shoot_day_id
    WHERE strips.node_id = root.id ORDER BY day.day_number))),
  'approvals', json((SELECT json_group_array(json(document)) FROM (
    SELECT json_object({{approval_row}}) AS document
    FROM approvals a
    WHERE a.node_id = root.id OR a.node_id IN (SELECT id FROM linked) OR a.delivery_id IN (SELECT id FROM gated_deliveries)
    ORDER BY a.id))),
  'department_notes', json((SELECT json_group_array(json(document)) FROM (
    SELECT json_object('id', note.id, 'summary', note.summary, 'created_at', note.created_at) AS document
    FROM department_notes note
    WHERE note.node_id = root.id
      AND (:engagement_id IS NULL OR note.department_id IN (SELECT department_id FROM reached_departments))
    ORDER BY note.id))))
FROM root

-- name: get_character_bundle
WITH {{reach}},
-- root: the character
root AS (
  SELECT n.id, n.label, n.status
  FROM nodes n
  WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind = 'character' AND {{node_is_reached}}
),
-- worn: its costumes, where they are reached
worn AS (
  SELECT n.id, n.label, n.status
  FROM node_links link JOIN nodes n ON n.id = link.to_node_id
  WHERE link.from_node_id = :node_id AND n.kind = 'costume' AND {{node_is_reached}}
)
SELECT json_object(
  'version', 1,
  'character', json_object('node_id', root.id, 'label', root.label, 'status', root.status),
  'costumes', json((SELECT json_group_array(json(document)) FROM (
    SELECT json_object('node_id', n.id, 'label', n.label, 'status', n.status,
      'released_versions', {{released_versions}},
      'ingredients', json((SELECT json_group_array(json(document)) FROM (
        -- each ingredient once, with the relation that the newest released version gives it (a bare column beside max())
        SELECT json_remove(
          json_object('id', i.id, 'kind', i.kind, 'label', i.label, 'relation', fed.relation,
            'media_path', (SELECT path FROM media WHERE ingredient_id = i.id)),
          iif(:engagement_id IS NULL, '$.~', '$.media_path')) AS document, max(v.version)
        FROM versions v
        JOIN version_ingredients fed ON fed.version_id = v.id
        JOIN ingredients i ON i.id = fed.ingredient_id
        WHERE v.node_id = n.id AND v.released = 1
        GROUP BY i.id ORDER BY i.id)))) AS document
    FROM worn n ORDER BY n.id))))
FROM root
