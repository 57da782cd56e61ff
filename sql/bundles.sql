-- Each statement assembles one bundle, for production-wide and for engagement-bound keys. It has no row if the root
-- node does not exist or is not reached. The field etag is added by the caller, because it is the hash of this
-- document. Choices that were measured: CROSS JOIN, because otherwise the planner does not always start at the few
-- links of the root node; a CTE is materialized only if it is used twice or joined to the outer query, because a
-- temporary table usually costs more than the look-ups that it saves. A value from the row of a subquery must be jsonb,
-- because text loses its JSON subtype there and would become a string. Everything else is text, because jsonb is made
-- by parsing text. So the longest list of the bundle of a scene, a character or a day is an aggregate of the outer
-- query: its text is not parsed. A join in parentheses on the right of a LEFT JOIN becomes a table of all its rows.

-- name: get_scene_bundle
WITH {{reach}},
-- root: the scene, if it is reached
root AS NOT MATERIALIZED (
  SELECT n.id FROM nodes n
  WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind = 'scene' AND {{node_is_reached}}
),
-- linked: the scene's assets that are reached. Materialized, because it is used twice.
linked AS MATERIALIZED (
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
  UNION SELECT a.id FROM linked CROSS JOIN approvals a ON a.node_id = linked.id
  UNION SELECT a.id FROM gated_deliveries gated CROSS JOIN approvals a ON a.delivery_id = gated.id
)
SELECT json_object(
  'version', 1,
  'scene', (SELECT {{scene_document}} FROM scenes s CROSS JOIN nodes n ON n.id = s.node_id WHERE s.node_id = root.id),
  'assets', json_group_array(
    json_object('node_id', n.id, 'label', n.label, 'kind', n.kind, 'status', n.status, 'released_versions', {{released_versions}})
    ORDER BY n.id) FILTER (WHERE n.id IS NOT NULL),
  'shoot_days', (
    SELECT jsonb_group_array(
      {{shoot_day_row}} ORDER BY day.day_number, day.unit)
    FROM strips CROSS JOIN shoot_days day ON day.id = strips.shoot_day_id
    WHERE strips.node_id = :node_id),
  'approvals', (
    SELECT jsonb_group_array(json_object({{approval_row}}) ORDER BY a.id)
    FROM gating CROSS JOIN approvals a ON a.id = gating.id),
  'department_notes', (
    SELECT jsonb_group_array({{placed_note}} ORDER BY n.id)
    FROM department_notes n
    WHERE n.node_id = :node_id AND (:engagement_id IS NULL OR {{department_is_reached}})))
FROM root LEFT JOIN linked n
GROUP BY root.id

-- name: get_character_bundle
WITH {{reach}},
-- root: the character, if it is reached
root AS NOT MATERIALIZED (
  SELECT n.id, n.label, n.status FROM nodes n
  WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind = 'character' AND {{node_is_reached}}
),
-- worn: the character's costumes that are reached
worn AS NOT MATERIALIZED (
  SELECT n.id, n.label, n.status
  FROM node_links link CROSS JOIN nodes n ON n.id = link.to_node_id
  WHERE link.from_node_id = :node_id AND n.kind = 'costume' AND {{node_is_reached}}
)
SELECT json_object(
  'version', 1,
  'character', json_object('node_id', root.id, 'label', root.label, 'status', root.status),
  'costumes', json_group_array(
    json_object('node_id', n.id, 'label', n.label, 'status', n.status, 'released_versions', {{released_versions}},
      'ingredients', (
        SELECT jsonb_group_array(document ORDER BY id)
        FROM (
          -- Each ingredient once, with the relation from the newest released version: SQLite takes a bare column from
          -- the row of max(). No engagement reaches an ingredient's media, so a bound key does not get the media
          -- fields.
          SELECT i.id, max(v.version), iif(:engagement_id IS NULL,
            jsonb_object('id', i.id, 'kind', i.kind, 'label', i.label, 'relation', fed.relation, 'media_path', m.path, 'media_id', m.id),
            jsonb_object('id', i.id, 'kind', i.kind, 'label', i.label, 'relation', fed.relation)) AS document
          FROM versions v
          CROSS JOIN version_ingredients fed ON fed.version_id = v.id
          CROSS JOIN ingredients i ON i.id = fed.ingredient_id
          LEFT JOIN media m ON m.ingredient_id = i.id
          WHERE v.node_id = n.id AND v.released = 1
          GROUP BY i.id)))
    ORDER BY n.id) FILTER (WHERE n.id IS NOT NULL))
FROM root LEFT JOIN worn n
GROUP BY root.id

-- name: get_asset_bundle
WITH {{reach}},
-- root: the asset, if it is reached
root AS NOT MATERIALIZED (
  SELECT n.id, n.label, n.kind, n.status, n.department_id FROM nodes n
  WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind <> 'scene' AND {{node_is_reached}}
),
-- containing: the scenes of the asset that are reached. Materialized, because it is used twice.
containing AS MATERIALIZED (
  SELECT n.id
  FROM node_links link CROSS JOIN nodes n ON n.id = link.from_node_id
  WHERE link.to_node_id = :node_id AND n.kind = 'scene' AND {{node_is_reached}}
),
about (node_id) AS NOT MATERIALIZED (SELECT id FROM root UNION ALL SELECT id FROM containing)
SELECT json_object(
  'version', 1,
  'asset', json_object(
    'node_id', root.id, 'label', root.label, 'kind', root.kind, 'status', root.status,
    'department', (SELECT slug FROM departments WHERE id = root.department_id)),
  'scenes', json_group_array(
    json_remove(json_object({{scene_reference}}), iif(s.episode_id IS NULL, '$.episode_code', '$.~')) ORDER BY s.script_order)
    FILTER (WHERE s.node_id IS NOT NULL),
  'released_versions', (SELECT {{released_versions}} FROM nodes n WHERE n.id = root.id),
  'department_notes', (
    SELECT jsonb_group_array({{placed_note}} ORDER BY n.id)
    FROM about CROSS JOIN department_notes n ON n.node_id = about.node_id
    WHERE n.node_id = :node_id OR (n.department_id = root.department_id AND (:engagement_id IS NULL OR {{department_is_reached}}))))
FROM root LEFT JOIN (containing CROSS JOIN scenes s ON s.node_id = containing.id)
GROUP BY root.id

-- fragment: placed_note
-- Department note n with what it is about.
json_object(
  'id', n.id, 'node_id', n.node_id, 'department', (SELECT slug FROM departments WHERE id = n.department_id),
  'summary', n.summary, 'created_at', n.created_at)
