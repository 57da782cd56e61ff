-- Each statement assembles one bundle, for production-wide and for engagement-bound keys. It has no row if the root node does
-- not exist or is not reached. The field etag is added by the caller, because it is the hash of this document. Choices that
-- were measured: CROSS JOIN, because otherwise the planner does not always start at the few links of the root node; no CTE is
-- materialized, because a temporary table costs more than the look-ups that it saves; jsonb_group_array for inner lists,
-- because an inner list in text form is parsed again at each level. A value from the row of a subquery must be jsonb, because
-- text loses its JSON subtype there and would become a string.

-- name: get_scene_bundle
WITH {{reach}},
-- linked: the scene's assets that are reached
linked AS NOT MATERIALIZED (
  SELECT n.id, n.label, n.kind, n.status
  FROM node_links link CROSS JOIN nodes n ON n.id = link.to_node_id
  WHERE link.from_node_id = :node_id AND n.kind <> 'scene' AND {{node_is_reached}}
),
-- gated_deliveries: the deliveries about the scene that are reached
gated_deliveries AS NOT MATERIALIZED (
  SELECT d.id
  FROM delivery_nodes about CROSS JOIN deliveries d ON d.id = about.delivery_id
  WHERE about.node_id = :node_id AND {{delivery_is_reached}}
),
-- gating: the approvals of the scene, of its assets and of those deliveries
gating AS NOT MATERIALIZED (
  SELECT id FROM approvals WHERE node_id = :node_id
  UNION ALL SELECT a.id FROM linked CROSS JOIN approvals a ON a.node_id = linked.id
  UNION ALL SELECT a.id FROM gated_deliveries gated CROSS JOIN approvals a ON a.delivery_id = gated.id
)
SELECT json_object(
  'version', 1,
  'scene', {{scene_document}},
  'assets', (
    SELECT jsonb_group_array(
      json_object('node_id', n.id, 'label', n.label, 'kind', n.kind, 'status', n.status, 'released_versions', {{released_versions}})
      ORDER BY n.id)
    FROM linked n),
  'shoot_days', (
    SELECT jsonb_group_array(
      json_object('id', day.id, 'day_number', day.day_number, 'date', day.date, 'status', day.status, 'general_call', day.general_call)
      ORDER BY day.day_number)
    FROM strips CROSS JOIN shoot_days day ON day.id = strips.shoot_day_id
    WHERE strips.node_id = :node_id),
  'approvals', (
    SELECT jsonb_group_array(json_object({{approval_row}}) ORDER BY a.id)
    FROM approvals a WHERE a.id IN (SELECT id FROM gating)),
  'department_notes', (
    SELECT jsonb_group_array(json_object('id', n.id, 'summary', n.summary, 'created_at', n.created_at) ORDER BY n.id)
    FROM department_notes n
    WHERE n.node_id = :node_id AND (:engagement_id IS NULL OR {{department_is_reached}})))
FROM nodes n CROSS JOIN scenes s ON s.node_id = n.id
WHERE n.production_id = :production_id AND n.id = :node_id AND {{node_is_reached}}

-- name: get_character_bundle
WITH {{reach}},
-- worn: the character's costumes that are reached
worn AS NOT MATERIALIZED (
  SELECT n.id, n.label, n.status
  FROM node_links link CROSS JOIN nodes n ON n.id = link.to_node_id
  WHERE link.from_node_id = :node_id AND n.kind = 'costume' AND {{node_is_reached}}
)
SELECT json_object(
  'version', 1,
  'character', jsonb_object('node_id', n.id, 'label', n.label, 'status', n.status),
  'costumes', (
    SELECT jsonb_group_array(
      json_object('node_id', n.id, 'label', n.label, 'status', n.status, 'released_versions', {{released_versions}},
        'ingredients', (
          SELECT jsonb_group_array(document ORDER BY id)
          FROM (
            -- Each ingredient once, with the relation from the newest released version: SQLite takes a bare column from
            -- the row of max(). No engagement reaches an ingredient's media, so a bound key does not get the media fields.
            SELECT i.id, max(v.version), iif(:engagement_id IS NULL,
              jsonb_object('id', i.id, 'kind', i.kind, 'label', i.label, 'relation', fed.relation, 'media_path', m.path, 'media_id', m.id),
              jsonb_object('id', i.id, 'kind', i.kind, 'label', i.label, 'relation', fed.relation)) AS document
            FROM versions v
            CROSS JOIN version_ingredients fed ON fed.version_id = v.id
            CROSS JOIN ingredients i ON i.id = fed.ingredient_id
            LEFT JOIN media m ON m.ingredient_id = i.id
            WHERE v.node_id = n.id AND v.released = 1
            GROUP BY i.id)))
      ORDER BY n.id)
    FROM worn n))
FROM nodes n
WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind = 'character' AND {{node_is_reached}}
