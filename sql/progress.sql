-- How the show stands.

-- name: list_planned_days
-- The shoot days in the order of the calendar, with how many things are not ready for each that is not before :on.
WITH
called (shoot_day_id, node_id, is_live) AS MATERIALIZED (
  SELECT day.id, strips.node_id, n.status <> 'omitted'
  FROM shoot_days day CROSS JOIN strips ON strips.shoot_day_id = day.id CROSS JOIN nodes n ON n.id = strips.node_id
  WHERE day.production_id = :production_id AND day.date >= :on
),
-- unready: the assets that somebody waits for. No character is waited for before its first version, because a call is
-- what it needs.
unready (id) AS MATERIALIZED (
  SELECT a.id FROM nodes a
  WHERE a.production_id = :production_id AND a.kind <> 'scene' AND (
    a.status = 'blocked'
    OR NOT EXISTS (SELECT 1 FROM versions v WHERE v.node_id = a.id AND v.released = 1)
    AND (
      a.kind <> 'character'
      OR EXISTS (SELECT 1 FROM versions v WHERE v.node_id = a.id AND v.archived = 0)
      OR EXISTS (SELECT 1 FROM approvals waiting WHERE waiting.node_id = a.id AND waiting.status = 'pending')
      OR EXISTS (
        SELECT 1 FROM delivery_nodes about CROSS JOIN deliveries d ON d.id = about.delivery_id
        WHERE about.node_id = a.id AND d.status <> 'accepted')))
),
-- concerned: the scenes and assets of the days, whatever their status, as the bundle of a day names what gates them;
-- and whether a scene that is not omitted lacks the asset
concerned (shoot_day_id, node_id, is_lacking) AS MATERIALIZED (
  SELECT shoot_day_id, node_id, 0 FROM called
  UNION ALL
  SELECT called.shoot_day_id, link.to_node_id, max(called.is_live AND link.to_node_id IN (SELECT id FROM unready))
  FROM called CROSS JOIN node_links link ON link.from_node_id = called.node_id
  GROUP BY called.shoot_day_id, link.to_node_id
),
-- asked_nodes, asked_deliveries: how many pending approvals are about each, counted before the days, because many
-- approvals may be about what many days need
asked_nodes (node_id, approvals) AS MATERIALIZED (
  SELECT a.node_id, count(*) FROM approvals a
  WHERE a.production_id = :production_id AND a.status = 'pending' AND a.node_id IS NOT NULL GROUP BY a.node_id
),
asked_deliveries (delivery_id, approvals) AS MATERIALIZED (
  SELECT d.id, count(*) FROM approvals a CROSS JOIN deliveries d ON d.id = a.delivery_id AND d.status <> 'accepted'
  WHERE a.production_id = :production_id AND a.status = 'pending' GROUP BY d.id
),
of_deliveries (shoot_day_id, delivery_id) AS MATERIALIZED (
  SELECT DISTINCT c.shoot_day_id, asked.delivery_id
  FROM asked_deliveries asked CROSS JOIN delivery_nodes about ON about.delivery_id = asked.delivery_id
  CROSS JOIN concerned c ON c.node_id = about.node_id
),
counted (shoot_day_id, things) AS MATERIALIZED (
  SELECT shoot_day_id, sum(things) FROM (
    SELECT shoot_day_id, 1 AS things FROM concerned WHERE is_lacking
    UNION ALL
    SELECT c.shoot_day_id, asked.approvals FROM concerned c CROSS JOIN asked_nodes asked ON asked.node_id = c.node_id WHERE NOT c.is_lacking
    UNION ALL
    SELECT of_deliveries.shoot_day_id, asked.approvals
    FROM of_deliveries CROSS JOIN asked_deliveries asked ON asked.delivery_id = of_deliveries.delivery_id)
  GROUP BY shoot_day_id
)
SELECT day.id AS shoot_day_id, day.unit, day.day_number, day.date, day.status,
  iif(day.date < :on, NULL, ifnull(counted.things, 0)) AS not_ready
FROM shoot_days day LEFT JOIN counted ON counted.shoot_day_id = day.id
WHERE day.production_id = :production_id
ORDER BY day.date, day.unit, day.day_number

-- name: list_counted_scenes
-- The scenes that are not omitted, with the length that they are said to have, and their days as a JSON list of ids.
SELECT n.status, s.elements ->> '$.pages' AS pages,
  (SELECT json_group_array(strips.shoot_day_id) FROM strips WHERE strips.node_id = n.id) AS days
FROM nodes n CROSS JOIN scenes s ON s.node_id = n.id
WHERE n.production_id = :production_id AND n.kind = 'scene' AND n.status <> 'omitted'
  AND (:episode_id IS NULL OR s.episode_id IN (SELECT value FROM json_each(:episode_id)))

-- name: list_late
-- What was due before :on: pending approvals, and deliveries that nobody has sent and for which no submission waits.
-- The ids are of two tables, so they have a plus.
SELECT kind, id, title, due, days, awaiting FROM (
  SELECT 'approval' AS kind, +a.id AS id, a.title, a.due, cast(julianday(:on) - julianday(a.due) AS INTEGER) AS days, json({{awaiting_of_approval}}) AS awaiting
  FROM approvals a
  WHERE a.production_id = :production_id AND a.status = 'pending' AND {{is_late}}
  UNION ALL
  SELECT 'delivery', +a.id, a.title, a.due, cast(julianday(:on) - julianday(a.due) AS INTEGER), '[]'
  FROM deliveries a
  WHERE a.production_id = :production_id AND a.status NOT IN ('sent', 'accepted') AND {{is_late}}
    AND NOT EXISTS (SELECT 1 FROM submissions waiting WHERE waiting.delivery_id = a.id AND waiting.status = 'submitted'))
ORDER BY days DESC, kind, id

-- fragment: is_late
-- Whether the due date of a is before :on. A due that is no date is never late.
a.due < :on AND date(a.due) IS a.due
