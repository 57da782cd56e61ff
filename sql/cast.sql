-- The day out of days. Order: by cast number, then by name.

-- name: list_cast_days
-- A character holds on a shoot day between the first and the last on which it works, unless it works on another day of that date. The
-- days of a character are text until the end, because they are many, and made one character after the other: the list is read in steps.
WITH
work (node_id, shoot_day_id, date, place) AS MATERIALIZED (
  SELECT DISTINCT c.id, day.id, day.date, {{day_place}}
  FROM nodes c CROSS JOIN {{worked_days}}
  WHERE c.production_id = :production_id AND c.kind = 'character' AND used.to_node_id = c.id
    AND (:after IS NULL OR (cast_place(c.cast_number, c.label), c.id) > (:after, :after_tie))
),
dates (node_id, date) AS MATERIALIZED (SELECT DISTINCT node_id, date FROM work),
days (id, day_number, date, place, head) AS MATERIALIZED (
  SELECT day.id, day.day_number, day.date, {{day_place}},
    '{"shoot_day_id":' || day.id || ',"day_number":' || day.day_number || ',"date":' || json_quote(day.date) || ',"work":'
  FROM shoot_days day WHERE day.production_id = :production_id
),
span (node_id, first, last) AS MATERIALIZED (SELECT node_id, min(place), max(place) FROM work GROUP BY node_id),
chosen (place, tie) AS MATERIALIZED (
  SELECT cast_place(c.cast_number, c.label) AS place, c.id AS tie FROM nodes c
  WHERE c.production_id = :production_id AND c.kind = 'character'
    AND (:after IS NULL OR (cast_place(c.cast_number, c.label), c.id) > (:after, :after_tie))
  ORDER BY place, tie LIMIT :limit
)
SELECT place, tie,
  (SELECT json_object(
    'node_id', c.id, 'label', c.label, 'cast_number', c.cast_number, 'performer', c.performer,
    'days', json('[' || coalesce(sums.days, '') || ']'),
    'totals', json_object('work', sums.work, 'hold', sums.total - sums.work, 'total', sums.total))
  FROM (
    SELECT count(work.node_id) AS work, count(*) AS total,
      group_concat(
        day.head || '"' || iif(work.node_id IS NULL, 'H', CASE (day.place > span.first) + 2 * (day.place < span.last) {{work_codes}}) || '"}',
        ',' ORDER BY day.place) AS days
    FROM span CROSS JOIN days day ON day.place BETWEEN span.first AND span.last
    LEFT JOIN work ON work.node_id = span.node_id AND work.shoot_day_id = day.id
    LEFT JOIN dates ON dates.node_id = span.node_id AND dates.date = day.date
    WHERE span.node_id = c.id AND (work.node_id IS NOT NULL OR dates.node_id IS NULL)
  ) sums) AS document
FROM chosen CROSS JOIN nodes c ON c.id = chosen.tie

-- name: count_cast_days
-- How many days list_cast_days has for all characters, or has to look at: the greater of the two. Linear, unlike that list.
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
SELECT id, day_number, date FROM shoot_days WHERE production_id = :production_id ORDER BY date, day_number
