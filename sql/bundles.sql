-- Each statement assembles one bundle, for production-wide and for engagement-bound keys. It has no row if the root node does
-- not exist or is not reached. The field etag is added by the caller, because it is the hash of this document. Choices that
-- were measured: CROSS JOIN, because otherwise the planner does not always start at the few links of the root node; a CTE is
-- materialized only if it is used twice or joined to the outer query, because a temporary table usually costs more than the
-- look-ups that it saves. A value from the row of a subquery must be jsonb, because text loses its JSON subtype there and would
-- become a string. Everything else is text, because jsonb is made by parsing text. So the longest list of the bundle of a scene
-- or a character is an aggregate of the outer query: its text is not parsed.

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
      json_object('id', day.id, 'day_number', day.day_number, 'date', day.date, 'status', day.status, 'general_call', day.general_call)
      ORDER BY day.day_number)
    FROM strips CROSS JOIN shoot_days day ON day.id = strips.shoot_day_id
    WHERE strips.node_id = :node_id),
  'approvals', (
    SELECT jsonb_group_array(json_object({{approval_row}}) ORDER BY a.id)
    FROM gating CROSS JOIN approvals a ON a.id = gating.id),
  'department_notes', (
    SELECT jsonb_group_array(json_object('id', n.id, 'summary', n.summary, 'created_at', n.created_at) ORDER BY n.id)
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
  'scenes', json_group_array(json_object('node_id', s.node_id, 'number', s.number, 'slugline', s.slugline) ORDER BY s.script_order)
    FILTER (WHERE s.node_id IS NOT NULL),
  'released_versions', (SELECT {{released_versions}} FROM nodes n WHERE n.id = root.id),
  'department_notes', (
    SELECT jsonb_group_array({{placed_note}} ORDER BY n.id)
    FROM about CROSS JOIN department_notes n ON n.node_id = about.node_id
    WHERE (n.node_id = :node_id OR n.department_id = root.department_id) AND (:engagement_id IS NULL OR {{department_is_reached}})))
FROM root LEFT JOIN (containing CROSS JOIN scenes s ON s.node_id = containing.id)
GROUP BY root.id

-- name: get_day_bundle
-- One shoot day, by id or by date; the other parameter is null. Only for production-wide keys, so nothing is clamped.
WITH
-- called: the scenes of the day
called (node_id) AS NOT MATERIALIZED (SELECT node_id FROM strips WHERE shoot_day_id = {{chosen_day}}),
-- needed: their assets
needed (node_id) AS MATERIALIZED (
  SELECT DISTINCT n.id
  FROM called CROSS JOIN node_links link ON link.from_node_id = called.node_id CROSS JOIN nodes n ON n.id = link.to_node_id
  WHERE n.kind <> 'scene'
),
concerned (node_id) AS NOT MATERIALIZED (SELECT node_id FROM called UNION ALL SELECT node_id FROM needed),
-- played: the scenes that are shot, with the places of their first and their last day
played (node_id, first, last, is_called) AS MATERIALIZED (
  SELECT strip.node_id, min({{day_place}}), max({{day_place}}), max(day.id = {{chosen_day}})
  FROM {{shot_scenes}}
  GROUP BY strip.node_id
),
-- span: the characters who work on the day, with the places of their first and their last day of work
span (node_id, first, last) AS MATERIALIZED (
  SELECT c.id, min(played.first), max(played.last)
  FROM needed CROSS JOIN nodes c ON c.id = needed.node_id AND c.kind = 'character'
  CROSS JOIN node_links used ON used.to_node_id = c.id CROSS JOIN played ON played.node_id = used.from_node_id
  GROUP BY c.id HAVING max(played.is_called)
),
-- awaited: the deliveries about the scenes and assets that are not accepted
awaited (id) AS MATERIALIZED (
  SELECT DISTINCT d.id
  FROM concerned CROSS JOIN delivery_nodes about ON about.node_id = concerned.node_id CROSS JOIN deliveries d ON d.id = about.delivery_id
  WHERE d.status <> 'accepted'
),
-- gating: the approvals of the scenes and assets, and those of the deliveries
gating (id) AS NOT MATERIALIZED (
  SELECT a.id FROM concerned CROSS JOIN approvals a ON a.node_id = concerned.node_id
  UNION ALL SELECT a.id FROM awaited CROSS JOIN approvals a ON a.delivery_id = awaited.id
)
SELECT json_object(
  'version', 1,
  'day', jsonb_remove(
    json_object(
      'id', day.id, 'day_number', day.day_number, 'date', day.date, 'status', day.status, 'general_call', day.general_call,
      {{day_fields}}),
    {{absent_day_fields}}),
  'cast', (
    SELECT jsonb_group_array(
      json_object(
        'node_id', a.id, 'label', a.label, 'cast_number', a.cast_number, 'performer', a.performer,
        'call', (SELECT c.time FROM day_calls c WHERE +c.shoot_day_id = day.id AND c.node_id = a.id ORDER BY c.position LIMIT 1),
        'scenes', (
          SELECT jsonb_group_array(json_object('node_id', s.node_id, 'number', s.number) ORDER BY strips.position)
          FROM node_links used CROSS JOIN strips ON strips.node_id = used.from_node_id AND strips.shoot_day_id = day.id
          CROSS JOIN scenes s ON s.node_id = strips.node_id CROSS JOIN nodes n ON n.id = s.node_id AND n.status <> 'omitted'
          WHERE used.to_node_id = a.id),
        'work', {{work_code}})
      ORDER BY a.id)
    FROM span CROSS JOIN nodes a ON a.id = span.node_id),
  'scenes', (
    SELECT jsonb_group_array(
      jsonb_insert({{scene_document}}, '$.assets', (
        SELECT jsonb_group_array({{readiness_document}} ORDER BY a.id)
        FROM node_links link CROSS JOIN nodes a ON a.id = link.to_node_id
        WHERE link.from_node_id = n.id AND a.kind <> 'scene'
          AND (NOT :missing OR NOT EXISTS (SELECT 1 FROM versions WHERE node_id = a.id AND released = 1))))
      ORDER BY strips.position)
    FROM strips CROSS JOIN scenes s ON s.node_id = strips.node_id CROSS JOIN nodes n ON n.id = s.node_id
    WHERE strips.shoot_day_id = day.id),
  'approvals', (
    SELECT jsonb_group_array(
      json_object({{approval_row}}, 'node_id', a.node_id, 'delivery_id', a.delivery_id) ORDER BY a.id)
    FROM gating CROSS JOIN approvals a ON a.id = gating.id
    WHERE a.status = 'pending'),
  'deliveries', (
    SELECT jsonb_group_array(
      jsonb_insert({{delivery_row}}, '$.node_ids', (
        SELECT jsonb_group_array(about.node_id ORDER BY about.node_id)
        FROM delivery_nodes about WHERE about.delivery_id = d.id AND about.node_id IN (SELECT node_id FROM concerned)))
      ORDER BY d.id)
    FROM awaited CROSS JOIN deliveries d ON d.id = awaited.id),
  'script_changes', (
    SELECT jsonb_group_array({{script_change_row}} ORDER BY c.detected_at DESC, c.id DESC)
    FROM script_changes c
    WHERE c.production_id = p.id AND c.status = 'pending' AND c.node_id IN (SELECT node_id FROM called)),
  'department_notes', (
    SELECT jsonb_group_array({{placed_note}} ORDER BY n.id)
    FROM called CROSS JOIN department_notes n ON n.node_id = called.node_id),
  'same_date', (
    SELECT jsonb_group_array(json_object('id', other.id, 'day_number', other.day_number) ORDER BY other.day_number)
    FROM shoot_days other
    WHERE other.production_id = p.id AND other.date = day.date AND other.id <> day.id))
FROM productions p CROSS JOIN shoot_days day ON day.production_id = p.id
WHERE p.id = :production_id AND day.id = {{chosen_day}}

-- name: list_related_days
-- A day, those of its date and of the dates before it (:earlier is a modifier such as -3 days), and those that share a scene with it,
-- with what clashes are found in. The day itself comes first. Only the first days of those dates have characters: all would be a product.
WITH
chosen (id, date) AS MATERIALIZED (SELECT id, date FROM shoot_days WHERE production_id = :production_id AND id = {{chosen_day}}),
near (id) AS MATERIALIZED (
  SELECT day.id
  FROM chosen CROSS JOIN shoot_days day ON day.production_id = :production_id AND day.date BETWEEN date(chosen.date, :earlier) AND chosen.date
  ORDER BY day.id <> chosen.id, day.date DESC, day.day_number LIMIT :most
),
related (id) AS MATERIALIZED (
  SELECT id FROM near
  UNION
  SELECT other.shoot_day_id
  FROM chosen CROSS JOIN strips mine ON mine.shoot_day_id = chosen.id CROSS JOIN strips other ON other.node_id = mine.node_id
)
SELECT json_group_array(json_object(
  'day_number', day.day_number, 'date', day.date, 'general_call', day.general_call, 'wrap', day.wrap,
  'location', day.location,
  'calls', (SELECT jsonb_group_array({{day_call}} ORDER BY c.position) FROM day_calls c WHERE c.shoot_day_id = day.id),
  'scenes', (
    SELECT jsonb_group_array(
      json_object(
        'name', iif(episode.code IS NULL, '', episode.code || '/') || s.number,
        'characters', iif(near.id IS NULL, jsonb('[]'), (
          SELECT jsonb_group_array(json_object('id', a.id, 'label', a.label) ORDER BY a.id)
          FROM node_links link CROSS JOIN nodes a ON a.id = link.to_node_id
          WHERE link.from_node_id = n.id AND a.kind = 'character')))
      ORDER BY strips.position)
    FROM strips CROSS JOIN nodes n ON n.id = strips.node_id CROSS JOIN scenes s ON s.node_id = n.id
    LEFT JOIN episodes episode ON episode.id = s.episode_id
    WHERE strips.shoot_day_id = day.id AND n.status <> 'omitted'))
  ORDER BY day.id <> chosen.id, day.day_number)
FROM chosen CROSS JOIN related CROSS JOIN shoot_days day ON day.id = related.id LEFT JOIN near ON near.id = day.id

-- name: has_locations
SELECT EXISTS (SELECT 1 FROM shoot_days WHERE production_id = :production_id AND location IS NOT NULL)

-- fragment: placed_note
-- Department note n with what it is about.
json_object(
  'id', n.id, 'node_id', n.node_id, 'department', (SELECT slug FROM departments WHERE id = n.department_id),
  'summary', n.summary, 'created_at', n.created_at)

-- fragment: chosen_day
-- The id of the day. Of several days on one date, it is the one with the lowest number.
ifnull(:shoot_day_id, (
  SELECT id FROM shoot_days WHERE production_id = :production_id AND date = :date ORDER BY day_number LIMIT 1))

-- fragment: readiness_document
-- Asset a: whether it has a released version, and its newest version that is not archived.
json_object(
  'node_id', a.id, 'label', a.label, 'kind', a.kind, 'status', a.status,
  'department', (SELECT slug FROM departments WHERE id = a.department_id),
  'ready', iif(EXISTS (SELECT 1 FROM versions WHERE node_id = a.id AND released = 1), json('true'), json('false')),
  'released_versions', (SELECT count(*) FROM versions WHERE node_id = a.id AND released = 1),
  'newest', (
    SELECT jsonb_object('id', v.id, 'version', v.version, 'variant', v.variant, 'status', v.status,
      'released', iif(v.released, json('true'), json('false')))
    FROM versions v WHERE v.node_id = a.id AND v.archived = 0 ORDER BY v.version DESC LIMIT 1))
