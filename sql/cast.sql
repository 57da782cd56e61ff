-- The day out of days. Order: by cast number, then by name.

-- name: list_cast_days
-- Of the episodes of :episode_id, only what their scenes need counts. By dates: all entries of a date have one code. A
-- character holds on a date between the first and the last on which it works; the entry of that is the first day of the
-- date, of any unit. The days of a character are text until the end, because they are many, and made one character
-- after the other: the list is read in steps.
WITH
work (node_id, shoot_day_id, date) AS MATERIALIZED (
  SELECT DISTINCT c.id, day.id, day.date
  FROM nodes c CROSS JOIN {{worked_days}}
  WHERE c.production_id = :production_id AND c.kind = 'character' AND used.to_node_id = c.id
    AND (:episode_id IS NULL OR scene.id IN {{scenes_of_episodes}})
    AND (:after IS NULL OR (cast_place(c.cast_number, c.label), c.id) > (:after, :after_tie))
),
dates (node_id, date) AS MATERIALIZED (SELECT DISTINCT node_id, date FROM work),
days (id, date, place, is_first, head) AS MATERIALIZED (
  SELECT day.id, day.date, {{day_place}}, row_number() OVER (PARTITION BY day.date ORDER BY {{day_place}}) = 1,
    '{"shoot_day_id":' || day.id || ',"day_number":' || day.day_number || iif(day.unit = '', '', ',"unit":' || json_quote(day.unit))
      || ',"date":' || json_quote(day.date) || ',"work":'
  FROM shoot_days day WHERE day.production_id = :production_id
),
span (node_id, first, last) AS MATERIALIZED (SELECT node_id, min(date), max(date) FROM work GROUP BY node_id),
chosen (place, tie) AS MATERIALIZED (
  SELECT cast_place(c.cast_number, c.label) AS place, c.id AS tie FROM nodes c
  WHERE c.production_id = :production_id AND c.kind = 'character'
    AND (:episode_id IS NULL OR c.id IN {{needed_by_episodes}})
    AND (:after IS NULL OR (cast_place(c.cast_number, c.label), c.id) > (:after, :after_tie))
  ORDER BY place, tie LIMIT :limit
)
SELECT place, tie,
  (SELECT json_object(
    'node_id', c.id, 'label', c.label, 'cast_number', c.cast_number, 'performer', c.performer,
    'days', json('[' || coalesce(sums.days, '') || ']'),
    'totals', json_object('work', sums.work, 'hold', sums.total - sums.work, 'total', sums.total))
  FROM (
    SELECT count(DISTINCT iif(work.node_id IS NULL, NULL, day.date)) AS work, count(DISTINCT day.date) AS total,
      group_concat(
        day.head || '"' || iif(work.node_id IS NULL, 'H', CASE (day.date > span.first) + 2 * (day.date < span.last) {{work_codes}}) || '"}',
        ',' ORDER BY day.place) AS days
    FROM span CROSS JOIN days day ON day.date BETWEEN span.first AND span.last
    LEFT JOIN work ON work.node_id = span.node_id AND work.shoot_day_id = day.id
    LEFT JOIN dates ON dates.node_id = span.node_id AND dates.date = day.date
    WHERE span.node_id = c.id AND (work.node_id IS NOT NULL OR (dates.node_id IS NULL AND day.is_first))
  ) sums) AS document
FROM chosen CROSS JOIN nodes c ON c.id = chosen.tie

-- name: count_cast_days
-- How many days list_cast_days has for all characters, or has to look at: the greater of the two. Linear, unlike that
-- list.
WITH
ranked (id, rank) AS MATERIALIZED (
  SELECT day.id, row_number() OVER (ORDER BY {{day_place}}) FROM shoot_days day WHERE day.production_id = :production_id
),
played (node_id, days, first, last) AS MATERIALIZED (
  SELECT strip.node_id, count(*), min(ranked.rank), max(ranked.rank)
  FROM ranked CROSS JOIN strips strip ON strip.shoot_day_id = ranked.id
  CROSS JOIN nodes scene ON scene.id = strip.node_id AND scene.status <> 'omitted'
  GROUP BY strip.node_id
),
spans (looked_at, days) AS NOT MATERIALIZED (
  SELECT sum(played.days), 1 + max(played.last) - min(played.first)
  FROM nodes c CROSS JOIN node_links used ON used.to_node_id = c.id CROSS JOIN played ON played.node_id = used.from_node_id
  WHERE c.production_id = :production_id AND c.kind = 'character'
  GROUP BY c.id
)
SELECT coalesce(max(sum(looked_at), sum(days)), 0) FROM spans

-- name: list_shoot_dates
SELECT id, unit, day_number, date FROM shoot_days WHERE production_id = :production_id ORDER BY date, unit, day_number
