-- Each bundle in one statement, for a production-wide key and for an engagement from the same text. Without a row: not found.
-- The root must be reached. The statements answer the document without its etag, which is the hash of it.
-- What makes them quick, all measured: parts are joined as text, because a document inside json() is parsed again at each of
-- its levels; CROSS JOIN starts at the root's few links whatever the planner believes; no CTE is materialized, because a
-- temporary table costs more than the look-ups that it saves.

-- name: get_scene_bundle
WITH {{reach}},
-- linked: the assets it needs, where they are reached
linked AS NOT MATERIALIZED (
  SELECT n.id, n.label, n.kind, n.status
  FROM node_links link CROSS JOIN nodes n ON n.id = link.to_node_id
  WHERE link.from_node_id = :node_id AND n.kind <> 'scene' AND {{node_is_reached}}
),
-- gated_deliveries: the deliveries that are about it, where they are reached
gated_deliveries AS NOT MATERIALIZED (
  SELECT d.id
  FROM delivery_nodes about CROSS JOIN deliveries d ON d.id = about.delivery_id
  WHERE about.node_id = :node_id AND {{delivery_is_reached}}
),
-- gating: the approvals on the scene, on its assets and on those deliveries
gating AS NOT MATERIALIZED (
  SELECT id FROM approvals WHERE node_id = :node_id
  UNION ALL SELECT a.id FROM linked CROSS JOIN approvals a ON a.node_id = linked.id
  UNION ALL SELECT a.id FROM gated_deliveries gated CROSS JOIN approvals a ON a.delivery_id = gated.id
)
SELECT '{"version":1,"scene":' || {{scene_document}} ||
  ',"assets":' || (SELECT {{list}} FROM (
    SELECT '{"node_id":' || n.id || ',"label":' || json_quote(n.label) || ',"kind":' || json_quote(n.kind)
      || ',"status":' || json_quote(n.status) || ',"released_versions":' || {{released_versions}} || '}' AS document
    FROM linked n ORDER BY n.id)) ||
  ',"shoot_days":' || (SELECT {{list}} FROM (
    SELECT json_object('id', day.id, 'day_number', day.day_number, 'date', day.date, 'status', day.status, 'general_call', day.general_call) AS document
    FROM strips CROSS JOIN shoot_days day ON day.id = strips.shoot_day_id
    WHERE strips.node_id = :node_id ORDER BY day.day_number)) ||
  ',"approvals":' || (SELECT {{list}} FROM (
    SELECT json_object({{approval_row}}) AS document
    FROM approvals a WHERE a.id IN (SELECT id FROM gating) ORDER BY a.id)) ||
  ',"department_notes":' || (SELECT {{list}} FROM (
    SELECT json_object('id', n.id, 'summary', n.summary, 'created_at', n.created_at) AS document
    FROM department_notes n
    WHERE n.node_id = :node_id AND (:engagement_id IS NULL OR {{department_is_reached}})
    ORDER BY n.id)) || '}'
FROM nodes n CROSS JOIN scenes s ON s.node_id = n.id
WHERE n.production_id = :production_id AND n.id = :node_id AND {{node_is_reached}}

-- name: get_character_bundle
WITH {{reach}},
-- worn: its costumes, where they are reached
worn AS NOT MATERIALIZED (
  SELECT n.id, n.label, n.status
  FROM node_links link CROSS JOIN nodes n ON n.id = link.to_node_id
  WHERE link.from_node_id = :node_id AND n.kind = 'costume' AND {{node_is_reached}}
)
SELECT '{"version":1,"character":' || json_object('node_id', n.id, 'label', n.label, 'status', n.status) ||
  ',"costumes":' || (SELECT {{list}} FROM (
    SELECT '{"node_id":' || n.id || ',"label":' || json_quote(n.label) || ',"status":' || json_quote(n.status)
      || ',"released_versions":' || {{released_versions}} ||
      ',"ingredients":' || (SELECT {{list}} FROM (
        -- each ingredient once, with the relation that the newest released version gives it (a bare column beside max()). Its
        -- media is in no engagement's reach: a bound key gets neither field.
        SELECT iif(:engagement_id IS NULL,
          json_object('id', i.id, 'kind', i.kind, 'label', i.label, 'relation', fed.relation, 'media_path', m.path, 'media_id', m.id),
          json_object('id', i.id, 'kind', i.kind, 'label', i.label, 'relation', fed.relation)) AS document, max(v.version)
        FROM versions v
        CROSS JOIN version_ingredients fed ON fed.version_id = v.id
        CROSS JOIN ingredients i ON i.id = fed.ingredient_id
        LEFT JOIN media m ON m.ingredient_id = i.id
        WHERE v.node_id = n.id AND v.released = 1
        GROUP BY i.id ORDER BY i.id)) || '}' AS document
    FROM worn n ORDER BY n.id)) || '}'
FROM nodes n
WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind = 'character' AND {{node_is_reached}}
