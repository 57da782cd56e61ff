-- Order: days by number, strips by their position on the day.

-- fragment: scheduled_day
-- Shoot day day with its strips. :episode_ids is a JSON list, or null if no episode was requested. It marks strips and never removes any.
json_object(
  'id', day.id, 'day_number', day.day_number, 'date', day.date, 'general_call', day.general_call, 'status', day.status,
  'scenes', (
    SELECT jsonb_group_array(
      jsonb_remove(
        json_object(
          'node_id', s.node_id, 'number', s.number, 'slugline', s.slugline,
          'matches', iif(s.episode_id IN (SELECT value FROM json_each(:episode_ids)), json('true'), json('false'))),
        iif(:episode_ids IS NULL OR s.episode_id IS NULL, '$.matches', '$.~'))
      ORDER BY strips.position)
    FROM strips JOIN scenes s ON s.node_id = strips.node_id
    WHERE strips.shoot_day_id = day.id))

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
