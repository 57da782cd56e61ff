-- The bundle of a shoot day, built as those in bundles.sql.

-- name: get_day_bundle
-- One shoot day, by id or by date; the other parameter is null. Only for production-wide keys, so nothing is clamped.
WITH
day AS MATERIALIZED (SELECT * FROM shoot_days WHERE production_id = :production_id AND id = {{chosen_day}}),
-- called: the scenes of the day
called (node_id) AS NOT MATERIALIZED (SELECT strips.node_id FROM day CROSS JOIN strips ON strips.shoot_day_id = day.id),
-- needed: their assets
needed (node_id) AS MATERIALIZED (
  SELECT DISTINCT n.id
  FROM called CROSS JOIN node_links link ON link.from_node_id = called.node_id CROSS JOIN nodes n ON n.id = link.to_node_id
  WHERE n.kind <> 'scene'
),
concerned (node_id) AS NOT MATERIALIZED (SELECT node_id FROM called UNION ALL SELECT node_id FROM needed),
-- awaited: the deliveries about the scenes and assets that are not accepted, with those that each is about
awaited (id, node_ids) AS MATERIALIZED (
  SELECT d.id, jsonb_group_array(about.node_id ORDER BY about.node_id)
  FROM concerned CROSS JOIN delivery_nodes about ON about.node_id = concerned.node_id CROSS JOIN deliveries d ON d.id = about.delivery_id
  WHERE d.status <> 'accepted'
  GROUP BY d.id
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
      'id', day.id, 'day_number', day.day_number, 'unit', day.unit, 'date', day.date, 'status', day.status, 'general_call', day.general_call,
      {{day_fields}}),
    {{absent_day_fields}}),
  'cast', (
    SELECT jsonb_group_array(
      json_object(
        'node_id', a.id, 'label', a.label, 'cast_number', a.cast_number, 'performer', a.performer,
        'call', (SELECT c.time FROM day_calls c WHERE +c.shoot_day_id = day.id AND c.node_id = a.id ORDER BY c.position LIMIT 1),
        'scenes', playing.scenes,
        'work', CASE
          EXISTS ({{other_days}} < day.date)
          + 2 * EXISTS ({{other_days}} > day.date)
          {{work_codes}})
      ORDER BY cast_place(a.cast_number, a.label), a.id)
    FROM (
      SELECT c.id,
        jsonb_group_array(
          jsonb_remove(
            json_object('node_id', s.node_id, 'number', s.number, 'episode_id', s.episode_id,
              'episode_code', (SELECT code FROM episodes WHERE id = s.episode_id)),
            {{absent_episode}})
          ORDER BY strips.position) AS scenes
      FROM strips CROSS JOIN nodes n ON n.id = strips.node_id AND n.status <> 'omitted' CROSS JOIN scenes s ON s.node_id = n.id
      CROSS JOIN node_links link ON link.from_node_id = n.id CROSS JOIN nodes c ON c.id = link.to_node_id AND c.kind = 'character'
      WHERE strips.shoot_day_id = day.id
      GROUP BY c.id) playing
    CROSS JOIN nodes a ON a.id = playing.id),
  'scenes', json_group_array(
    jsonb_insert({{scene_document}}, '$.assets', (
      SELECT jsonb_group_array({{readiness_document}} ORDER BY a.id)
      FROM (
        SELECT link.to_node_id AS id, count(*) FILTER (WHERE v.released) AS released, max(iif(v.archived, NULL, v.version)) AS version,
          v.id AS version_id, v.variant, v.status, v.released AS is_released
        FROM node_links link LEFT JOIN versions v ON v.node_id = link.to_node_id
        WHERE link.from_node_id = n.id
        GROUP BY link.to_node_id) v
      CROSS JOIN nodes a ON a.id = v.id AND a.kind <> 'scene'
      WHERE NOT (:missing AND v.released)))
    ORDER BY strips.position) FILTER (WHERE n.id IS NOT NULL),
  'approvals', (
    SELECT jsonb_group_array(
      json_object({{approval_row}}, {{gating_approval}}) ORDER BY a.id)
    FROM gating CROSS JOIN approvals a ON a.id = gating.id
    WHERE a.status = 'pending'),
  'deliveries', (
    SELECT jsonb_group_array(jsonb_insert({{delivery_row}}, '$.node_ids', awaited.node_ids) ORDER BY d.id)
    FROM awaited CROSS JOIN deliveries d ON d.id = awaited.id),
  'script_changes', (
    SELECT jsonb_group_array({{script_change_row}} ORDER BY c.detected_at DESC, c.id DESC)
    FROM script_changes c
    WHERE c.production_id = p.id AND c.status = 'pending' AND c.node_id IN (SELECT node_id FROM called)),
  'department_notes', (
    SELECT jsonb_group_array({{placed_note}} ORDER BY n.id)
    FROM called CROSS JOIN department_notes n ON n.node_id = called.node_id),
  'same_date', (
    SELECT jsonb_group_array(
      jsonb_remove(
        json_object('id', other.id, 'day_number', other.day_number, 'unit', other.unit), iif(other.unit = '', '$.unit', '$.~'))
      ORDER BY other.unit, other.day_number)
    FROM shoot_days other
    WHERE other.production_id = p.id AND other.date = day.date AND other.id <> day.id))
FROM day CROSS JOIN productions p ON p.id = day.production_id
LEFT JOIN strips ON strips.shoot_day_id = day.id LEFT JOIN scenes s ON s.node_id = strips.node_id LEFT JOIN nodes n ON n.id = s.node_id
GROUP BY day.id

-- name: list_related_days
-- A day, those of its date and of the dates before it (:earlier is a modifier such as -3 days), and those that share a
-- scene with it, with what clashes are found in. The day itself comes first. Only the first days of those dates have
-- characters: all would be a product.
WITH
chosen (id, date) AS MATERIALIZED (SELECT id, date FROM shoot_days WHERE production_id = :production_id AND id = {{chosen_day}}),
near (id) AS MATERIALIZED (
  SELECT day.id
  FROM chosen CROSS JOIN shoot_days day ON day.production_id = :production_id AND day.date BETWEEN date(chosen.date, :earlier) AND chosen.date
  ORDER BY day.id <> chosen.id, day.date DESC, day.unit, day.day_number LIMIT :most
),
related (id) AS MATERIALIZED (
  SELECT id FROM near
  UNION
  SELECT other.shoot_day_id
  FROM chosen CROSS JOIN strips mine ON mine.shoot_day_id = chosen.id CROSS JOIN strips other ON other.node_id = mine.node_id
)
SELECT json_group_array(json_object(
  {{sheet_row}},
  'location', day.location,
  'scenes', (
    SELECT jsonb_group_array(
      json_object(
        'name', {{scene_name}},
        'part', (SELECT part.text FROM day_parts part WHERE part.shoot_day_id = day.id AND part.scene_node_id = s.node_id),
        'characters', iif(day.id IN (SELECT id FROM near), {{sheet_characters}}, jsonb('[]')))
      ORDER BY strips.position)
    FROM {{sheet_scenes}}))
  ORDER BY day.id <> chosen.id, day.day_number, day.unit)
FROM chosen CROSS JOIN related CROSS JOIN shoot_days day ON day.id = related.id

-- name: has_locations
SELECT EXISTS (SELECT 1 FROM shoot_days WHERE production_id = :production_id AND location IS NOT NULL)

-- fragment: is_of_unit
-- Whether a shoot day is of the unit :unit, with or without the word Unit, or :unit is null.
(:unit IS NULL OR unit = :unit OR unit = :unit || ' Unit' OR unit || ' Unit' = :unit COLLATE NOCASE)

-- fragment: chosen_day
-- The id of the day: of a date, the first day of the unit :unit, or where that is null, of any unit, the main unit
-- first.
ifnull(:shoot_day_id, (
  SELECT id FROM shoot_days WHERE production_id = :production_id AND date = :date AND {{is_of_unit}}
  ORDER BY unit, day_number LIMIT 1))

-- fragment: other_days
-- For EXISTS and before a comparison with the date of a day: each shoot day of character a, by its scenes that are not
-- omitted.
SELECT 1 FROM node_links used CROSS JOIN strips ON strips.node_id = used.from_node_id
CROSS JOIN shoot_days other ON other.id = strips.shoot_day_id
CROSS JOIN nodes scene ON scene.id = used.from_node_id AND scene.status <> 'omitted'
WHERE used.to_node_id = a.id AND other.date

-- fragment: readiness_document
-- Asset a: whether it has a released version, and its newest version that is not archived.
json_object(
  'node_id', a.id, 'label', a.label, 'kind', a.kind, 'status', a.status,
  'department', (SELECT slug FROM departments WHERE id = a.department_id),
  'ready', iif(v.released, json('true'), json('false')),
  'released_versions', v.released,
  'newest', iif(v.version IS NULL, NULL,
    json_object('id', v.version_id, 'version', v.version, 'variant', v.variant, 'status', v.status,
      'released', iif(v.is_released, json('true'), json('false')))))

-- name: get_near_shoot_day
-- The first shoot day after a date, of the unit :unit or of any; without one, the last of all.
SELECT unit, day_number, date, date > :date AS is_next FROM shoot_days
WHERE production_id = :production_id AND date IS NOT NULL AND {{is_of_unit}}
ORDER BY is_next DESC, iif(is_next, date, NULL), date DESC, iif(is_next, NULL, unit) DESC, unit, iif(is_next, day_number, -day_number)
LIMIT 1
