-- Order: days by number, strips by their position on the day.

-- fragment: scheduled_day
-- Shoot day day with its strips, calls and banners. :episode_id is a JSON list, or null if no episode was requested. It marks
-- strips and never removes any. Fields that the day does not have are absent.
json_remove(
  json_object(
    'id', day.id, 'day_number', day.day_number, 'date', day.date, 'general_call', day.general_call, 'status', day.status,
    'scenes', (
      SELECT jsonb_group_array(
        jsonb_remove(
          json_object(
            'node_id', s.node_id, 'number', s.number, 'slugline', s.slugline,
            'matches', iif(s.episode_id IN (SELECT value FROM json_each(:episode_id)), json('true'), json('false'))),
          iif(:episode_id IS NULL OR s.episode_id IS NULL, '$.matches', '$.~'))
        ORDER BY strips.position)
      FROM strips JOIN scenes s ON s.node_id = strips.node_id
      WHERE strips.shoot_day_id = day.id),
    {{day_fields}}),
  {{absent_day_fields}})

-- fragment: day_fields
-- What a call sheet says of shoot day `day`; absent_day_fields removes what the day does not have.
'location', day.location, 'notes', day.notes, 'wrap', day.wrap,
'calls', (
  SELECT jsonb_group_array({{day_call}} ORDER BY c.position) FROM day_calls c WHERE c.shoot_day_id = day.id),
'banners', (
  SELECT jsonb_group_array(
    json_object(
      'before', (SELECT number FROM scenes WHERE node_id = b.before_node_id), 'node_id', b.before_node_id, 'text', b.text)
    ORDER BY b.position)
  FROM day_banners b WHERE b.shoot_day_id = day.id)

-- fragment: absent_day_fields
iif(day.location IS NULL, '$.location', '$.~'), iif(day.notes IS NULL, '$.notes', '$.~'), iif(day.wrap IS NULL, '$.wrap', '$.~'),
iif(EXISTS (SELECT 1 FROM day_calls WHERE shoot_day_id = day.id), '$.~', '$.calls'),
iif(EXISTS (SELECT 1 FROM day_banners WHERE shoot_day_id = day.id), '$.~', '$.banners')

-- fragment: day_call
-- Call c of a day, with the id of what it names.
jsonb_remove(
  json_object(
    'who', {{called_name}}, 'time', c.time, 'note', c.note, 'node_id', c.node_id, 'person_id', c.person_id, 'department_id', c.department_id),
  iif(c.note IS NULL, '$.note', '$.~'), iif(c.node_id IS NULL, '$.node_id', '$.~'),
  iif(c.person_id IS NULL, '$.person_id', '$.~'), iif(c.department_id IS NULL, '$.department_id', '$.~'))

-- fragment: called_name
-- Whom call c names.
coalesce(
  (SELECT label FROM nodes WHERE id = c.node_id), (SELECT name FROM people WHERE id = c.person_id),
  (SELECT slug FROM departments WHERE id = c.department_id), c.who)

-- name: get_schedule
-- :first and :last are dates, or null. The place of a page is the ids of the days that were sent, because an import may renumber days.
SELECT day.id AS place, {{scheduled_day}} AS document
FROM shoot_days day
WHERE day.production_id = :production_id
  AND (:first IS NULL OR day.date >= :first)
  AND (:last IS NULL OR day.date <= :last)
  AND day.id NOT IN (SELECT value FROM json_each(coalesce(:after, '[]')))
ORDER BY day.day_number LIMIT :limit

-- name: list_shoot_day_ids
SELECT id FROM shoot_days WHERE production_id = :production_id ORDER BY id

-- name: get_shoot_day
SELECT {{scheduled_day}} FROM shoot_days day WHERE day.production_id = :production_id AND day.id = :shoot_day_id

-- fragment: day_place
-- Puts shoot day `day` in the order of the calendar; of two days on one date, the lower number comes first.
(day.date || printf('%010d', day.day_number))

-- fragment: worked_days
-- Character c with each scene that is not omitted, and each shoot day `day` of it.
node_links used
CROSS JOIN nodes scene ON scene.id = used.from_node_id AND scene.kind = 'scene' AND scene.status <> 'omitted'
CROSS JOIN strips strip ON strip.node_id = scene.id
CROSS JOIN shoot_days day ON day.id = strip.shoot_day_id

-- fragment: work_codes
-- What a day is to a character who works on it, after CASE and a number: 1 if the character also works before it, 2 after it, 3 both.
WHEN 0 THEN 'SWF' WHEN 1 THEN 'WF' WHEN 2 THEN 'SW' ELSE 'W' END
