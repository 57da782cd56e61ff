-- Order: days by number, of equal ones the main unit first; strips by their position on the day.

-- fragment: shoot_day_row
-- Shoot day `day` as bundles have it. A day of the main unit has no unit.
jsonb_remove(
  json_object(
    'id', day.id, 'day_number', day.day_number, 'unit', day.unit, 'date', day.date, 'status', day.status, 'general_call', day.general_call),
  {{absent_unit}})

-- fragment: absent_unit
-- Removes the unit of a day of the main unit.
iif(day.unit = '', '$.unit', '$.~')

-- fragment: scheduled_day
-- Shoot day day with its strips, parts, calls, banners and lines. :episode_id is a JSON list, or null if no episode was
-- requested. It marks strips and never removes any. Fields that the day does not have are absent.
json_remove(
  json_object(
    'id', day.id, 'day_number', day.day_number, 'unit', day.unit, 'date', day.date, 'general_call', day.general_call, 'status', day.status,
    'scenes', (
      SELECT jsonb_group_array(
        jsonb_remove(
          json_object(
            {{scene_reference_of_series}},
            'matches', iif(s.episode_id IN (SELECT value FROM json_each(:episode_id)), json('true'), json('false'))),
          iif(:episode_id IS NULL OR s.episode_id IS NULL, '$.matches', '$.~'), {{absent_episode}})
        ORDER BY strips.position)
      FROM strips JOIN scenes s ON s.node_id = strips.node_id
      WHERE strips.shoot_day_id = day.id),
    {{day_fields}}),
  {{absent_day_fields}})

-- fragment: scene_reference_of_series
-- Scene s with its episode; absent_episode removes what a scene of a single production does not have.
'node_id', s.node_id, 'number', s.number, 'slugline', s.slugline, 'episode_id', s.episode_id,
'episode_code', (SELECT code FROM episodes WHERE id = s.episode_id)

-- fragment: absent_episode
iif(s.episode_id IS NULL, '$.episode_id', '$.~'), iif(s.episode_id IS NULL, '$.episode_code', '$.~')

-- fragment: day_fields
-- What a call sheet says of shoot day `day`; absent_day_fields removes what the day does not have.
'location', day.location, 'notes', day.notes, 'wrap', day.wrap, 'time_zone', day.time_zone,
'calls', (
  SELECT jsonb_group_array({{day_call}} ORDER BY c.position) FROM day_calls c WHERE c.shoot_day_id = day.id),
'banners', (
  SELECT jsonb_group_array(
    jsonb_remove(
      json_object(
        'before', s.number, 'node_id', b.before_node_id, 'text', b.text,
        'episode_code', (SELECT code FROM episodes WHERE id = s.episode_id)),
      iif(s.episode_id IS NULL, '$.episode_code', '$.~'))
    ORDER BY b.position)
  FROM day_banners b LEFT JOIN scenes s ON s.node_id = b.before_node_id WHERE b.shoot_day_id = day.id),
'parts', (
  SELECT jsonb_group_array(
    jsonb_remove(
      json_object(
        'node_id', part.scene_node_id, 'number', s.number, 'text', part.text, 'pages', part.pages,
        'episode_code', (SELECT code FROM episodes WHERE id = s.episode_id)),
      iif(part.pages IS NULL, '$.pages', '$.~'), iif(s.episode_id IS NULL, '$.episode_code', '$.~'))
    ORDER BY part.position)
  FROM day_parts part CROSS JOIN scenes s ON s.node_id = part.scene_node_id WHERE part.shoot_day_id = day.id),
'lines', (
  SELECT jsonb_group_array(json_object('label', l.label, 'text', l.text) ORDER BY l.position)
  FROM day_lines l WHERE l.shoot_day_id = day.id)

-- fragment: absent_day_fields
{{absent_unit}}, iif(day.location IS NULL, '$.location', '$.~'), iif(day.notes IS NULL, '$.notes', '$.~'), iif(day.wrap IS NULL, '$.wrap', '$.~'),
iif(day.time_zone IS NULL, '$.time_zone', '$.~'),
iif(EXISTS (SELECT 1 FROM day_calls WHERE shoot_day_id = day.id), '$.~', '$.calls'),
iif(EXISTS (SELECT 1 FROM day_banners WHERE shoot_day_id = day.id), '$.~', '$.banners'),
iif(EXISTS (SELECT 1 FROM day_parts WHERE shoot_day_id = day.id), '$.~', '$.parts'),
iif(EXISTS (SELECT 1 FROM day_lines WHERE shoot_day_id = day.id), '$.~', '$.lines')

-- fragment: day_call
-- Call c of a day, with the id of what it names.
jsonb_remove(
  json_object(
    'who', {{called_name}}, 'time', c.time, 'pickup', c.pickup, 'makeup', c.makeup, 'costume', c.costume, 'on_set', c.on_set,
    'note', c.note, 'node_id', c.node_id, 'person_id', c.person_id, 'department_id', c.department_id),
  iif(c.pickup IS NULL, '$.pickup', '$.~'), iif(c.makeup IS NULL, '$.makeup', '$.~'),
  iif(c.costume IS NULL, '$.costume', '$.~'), iif(c.on_set IS NULL, '$.on_set', '$.~'),
  iif(c.note IS NULL, '$.note', '$.~'), iif(c.node_id IS NULL, '$.node_id', '$.~'),
  iif(c.person_id IS NULL, '$.person_id', '$.~'), iif(c.department_id IS NULL, '$.department_id', '$.~'))

-- fragment: called_name
-- Whom call c names.
coalesce(
  (SELECT label FROM nodes WHERE id = c.node_id), (SELECT name FROM people WHERE id = c.person_id),
  (SELECT slug FROM departments WHERE id = c.department_id), c.who)

-- fragment: sheet_row
-- What clashes are found in, of shoot day `day` itself.
'day_number', day.day_number, 'unit', day.unit, 'date', day.date, 'general_call', day.general_call, 'wrap', day.wrap,
'time_zone', day.time_zone,
'calls', (
  SELECT jsonb_group_array(json_object('who', {{called_name}}, 'time', c.time, 'node_id', c.node_id))
  FROM day_calls c WHERE c.shoot_day_id = day.id)

-- fragment: sheet_scenes
-- The scenes that are shot on shoot day `day`.
strips CROSS JOIN nodes n ON n.id = strips.node_id CROSS JOIN scenes s ON s.node_id = n.id
LEFT JOIN episodes episode ON episode.id = s.episode_id
WHERE strips.shoot_day_id = day.id AND n.status <> 'omitted'

-- fragment: sheet_characters
-- The characters of scene n.
(SELECT jsonb_group_array(json_object('id', a.id, 'label', a.label) ORDER BY a.id)
FROM node_links link CROSS JOIN nodes a ON a.id = link.to_node_id
WHERE link.from_node_id = n.id AND a.kind = 'character')

-- name: get_schedule
-- :first and :last are dates, or null. Of a series, :days_of_episode_id keeps the days that have a scene of these
-- episodes. The place of a page is the ids of the days that were sent, because an import may renumber days.
SELECT day.id AS place, {{scheduled_day}} AS document
FROM shoot_days day
WHERE day.production_id = :production_id
  AND (:first IS NULL OR day.date >= :first)
  AND (:last IS NULL OR day.date <= :last)
  AND (:days_of_episode_id IS NULL
    OR NOT EXISTS (SELECT 1 FROM productions p WHERE p.id = day.production_id AND p.format = 'episodic')
    OR EXISTS (
      SELECT 1 FROM strips CROSS JOIN scenes s ON s.node_id = strips.node_id
      WHERE strips.shoot_day_id = day.id AND s.episode_id IN (SELECT value FROM json_each(:days_of_episode_id))))
  AND day.id NOT IN (SELECT value FROM json_each(coalesce(:after, '[]')))
ORDER BY day.day_number, day.unit LIMIT :limit

-- name: list_shoot_day_ids
SELECT id FROM shoot_days WHERE production_id = :production_id ORDER BY id

-- name: get_shoot_day
SELECT {{scheduled_day}} FROM shoot_days day WHERE day.production_id = :production_id AND day.id = :shoot_day_id

-- fragment: day_place
-- Puts shoot day `day` in the order of the calendar: by date, then the main unit, the other units, and the number.
(day.date || lower(day.unit) || printf(' %010d', day.day_number))

-- fragment: worked_days
-- Character c with each scene that is not omitted, and each shoot day `day` of it.
node_links used
CROSS JOIN nodes scene ON scene.id = used.from_node_id AND scene.kind = 'scene' AND scene.status <> 'omitted'
CROSS JOIN strips strip ON strip.node_id = scene.id
CROSS JOIN shoot_days day ON day.id = strip.shoot_day_id

-- fragment: work_codes
-- What a day is to a character who works on it, after CASE and a number: 1 if the character also works before it, 2
-- after it, 3 both.
WHEN 0 THEN 'SWF' WHEN 1 THEN 'WF' WHEN 2 THEN 'SW' ELSE 'W' END
