-- Order of what is found: by rank, then by kind and id.

-- fragment: searched_here
-- Whether the row of search is of the production and of a kind that was asked for.
production_id = :production_id AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))

-- name: search
-- Ranks: 0 a scene by its number or a thing by its whole label, 1 every word is in the label, 2 every word begins a word of the label, 3 some words are only in the
-- body. Each list is cut at 200, so that the time does not grow with the production.
WITH numbered (id) AS MATERIALIZED (
  SELECT search.rowid FROM search JOIN scenes s ON s.node_id = search.rowid / 10
  WHERE search MATCH :numbered AND search.rowid % 10 = 0 AND search.production_id = :production_id AND search.kind = 'scene'
    AND (:kinds IS NULL OR 'scene' IN (SELECT value FROM json_each(:kinds)))
    AND s.number = :number COLLATE NOCASE
    AND (:episode IS NULL OR s.episode_id = (SELECT id FROM episodes WHERE production_id = :production_id AND code = :episode COLLATE NOCASE))
  ORDER BY search.rowid LIMIT 200
),
found (id, rank) AS (
  SELECT id, 0 FROM numbered
  UNION ALL SELECT * FROM (SELECT rowid, iif(label = :q COLLATE NOCASE, 0, 1) FROM search WHERE search MATCH :words_of_label AND {{searched_here}} ORDER BY rowid LIMIT 200)
  UNION ALL SELECT * FROM (SELECT rowid, 2 FROM search WHERE search MATCH :beginnings_of_label AND {{searched_here}} ORDER BY rowid LIMIT 200)
  UNION ALL SELECT * FROM (SELECT rowid, 3 FROM search WHERE search MATCH :beginnings AND {{searched_here}} ORDER BY rowid LIMIT 200)
),
best (id, rank, kind) AS MATERIALIZED (
  SELECT found.id, min(found.rank) AS rank, search.kind FROM found CROSS JOIN search ON search.rowid = found.id
  GROUP BY found.id
  HAVING :after_rank IS NULL OR (min(found.rank), search.kind, found.id / 10) > (:after_rank, :after_kind, :after_id)
  ORDER BY rank, search.kind, found.id LIMIT :limit
),
-- One query for all excerpts, because FTS5 collects every thing with a beginning again for each query. The plus keeps it to one.
excerpts (id, excerpt) AS MATERIALIZED (
  SELECT rowid, snippet(search, 1, '', '', '…', 20) FROM search
  WHERE search MATCH :beginnings AND rowid <= (SELECT max(id) FROM best) AND +rowid IN (SELECT id FROM best)
)
SELECT json_group_array(
  json_object('kind', best.kind, 'id', best.id / 10, 'label', search.label, 'excerpt', ifnull(excerpts.excerpt, search.body), 'rank', best.rank)
  ORDER BY best.rank, best.kind, best.id)
FROM best CROSS JOIN search ON search.rowid = best.id LEFT JOIN excerpts ON excerpts.id = best.id

-- name: has_search_changes
SELECT EXISTS (SELECT 1 FROM search_changes) AS changed

-- name: remove_searched
DELETE FROM search WHERE rowid IN (SELECT id FROM search_changes)

-- name: add_searched
INSERT INTO search (rowid, label, body, kind, production_id)
SELECT c.id, t.label, t.body, 'scene', t.production_id FROM search_changes c JOIN searched_scenes t ON t.id = c.id / 10 WHERE c.id % 10 = 0
UNION ALL SELECT c.id, t.label, t.body, 'asset', t.production_id FROM search_changes c JOIN searched_assets t ON t.id = c.id / 10 WHERE c.id % 10 = 0
UNION ALL SELECT c.id, t.label, t.body, 'person', t.production_id FROM search_changes c JOIN searched_people t ON t.id = c.id / 10 WHERE c.id % 10 = 1
UNION ALL SELECT c.id, t.label, t.body, 'delivery', t.production_id FROM search_changes c JOIN searched_deliveries t ON t.id = c.id / 10 WHERE c.id % 10 = 2
UNION ALL SELECT c.id, t.label, t.body, 'approval', t.production_id FROM search_changes c JOIN searched_approvals t ON t.id = c.id / 10 WHERE c.id % 10 = 3
UNION ALL SELECT c.id, t.label, t.body, 'shoot_day', t.production_id FROM search_changes c JOIN searched_shoot_days t ON t.id = c.id / 10 WHERE c.id % 10 = 4

-- name: settle_search_changes
DELETE FROM search_changes
