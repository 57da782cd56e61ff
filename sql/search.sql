-- Order of what is found: by rank, then by kind and id.

-- fragment: searched_here
-- Whether the row of search is of the production and of a kind that was asked for.
production_id = :production_id AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))

-- fragment: after_the_page
-- Whether a thing that was found comes after the last one of the page before.
(:after IS NULL OR (rank || ' ' || kind, id / 10) > (:after, :after_tie))

-- name: search
-- Ranks: 0 a scene by its number or a thing by its whole label, 1 every word is in the label, 2 every word begins a word of the label, 3 some words are only in the
-- body. Each list is cut at 200, and made only if those before it do not fill the page, each thing by its best rank: FTS5 collects everything with a beginning that is long and frequent.
WITH numbered (id) AS MATERIALIZED (
  SELECT search_labels.rowid FROM search_labels JOIN scenes s ON s.node_id = search_labels.rowid / 10
  WHERE search_labels MATCH iif(EXISTS (SELECT 1 FROM episodes WHERE production_id = :production_id), :numbered_in_series, :numbered) AND search_labels.rowid % 10 = 0 AND search_labels.production_id = :production_id AND search_labels.kind = 'scene'
    AND (:kinds IS NULL OR 'scene' IN (SELECT value FROM json_each(:kinds)))
    AND name_key(s.number) = name_key(:number)
    AND (:episode IS NULL OR s.episode_id = (SELECT id FROM episodes WHERE production_id = :production_id AND name_key(code) = name_key(:episode)))
  ORDER BY search_labels.rowid LIMIT 200
),
by_words (id, rank, kind) AS MATERIALIZED (
  SELECT id, 0, 'scene' FROM numbered
  UNION ALL SELECT * FROM (SELECT rowid, iif(name_key(label) = name_key(:q), 0, 1), kind FROM search_labels WHERE search_labels MATCH :words AND {{searched_here}} ORDER BY rowid LIMIT 200)
),
by_label (id, rank, kind) AS MATERIALIZED (
  SELECT * FROM by_words
  UNION ALL SELECT * FROM (
    SELECT rowid, 2, kind FROM search_labels
    WHERE search_labels MATCH iif((SELECT count(*) FROM (SELECT id, min(rank) AS rank, kind FROM by_words GROUP BY id) WHERE {{after_the_page}}) < :limit, :beginnings, '""') AND {{searched_here}}
    ORDER BY rowid LIMIT 200)
),
found (id, rank, kind) AS (
  SELECT * FROM by_label
  UNION ALL SELECT * FROM (
    SELECT rowid, 3, kind FROM search
    WHERE search MATCH iif((SELECT count(*) FROM (SELECT id, min(rank) AS rank, kind FROM by_label GROUP BY id) WHERE {{after_the_page}}) < :limit, :beginnings, '""') AND {{searched_here}}
    ORDER BY rowid LIMIT 200)
),
best (id, rank, kind) AS MATERIALIZED (
  SELECT id, rank, kind FROM (SELECT id, min(rank) AS rank, kind FROM found GROUP BY id) WHERE {{after_the_page}}
  ORDER BY rank, kind, id LIMIT :limit
)
SELECT best.rank || ' ' || best.kind AS place, best.id / 10 AS tie,
  json_object('kind', best.kind, 'id', best.id / 10, 'label', search.label, 'excerpt', search.body, 'rank', best.rank) AS document
FROM best CROSS JOIN search ON search.rowid = best.id
ORDER BY best.rank, best.kind, best.id

-- name: has_search_changes
SELECT EXISTS (SELECT 1 FROM search_changes) AS changed

-- name: remove_searched
DELETE FROM search WHERE rowid IN (SELECT id FROM search_changes)

-- name: remove_searched_labels
DELETE FROM search_labels WHERE rowid IN (SELECT id FROM search_changes)

-- name: add_searched
INSERT INTO search (rowid, label, body, kind, production_id)
SELECT c.id, t.label, t.body, 'scene', t.production_id FROM search_changes c JOIN searched_scenes t ON t.id = c.id / 10 WHERE c.id % 10 = 0
UNION ALL SELECT c.id, t.label, t.body, 'asset', t.production_id FROM search_changes c JOIN searched_assets t ON t.id = c.id / 10 WHERE c.id % 10 = 0
UNION ALL SELECT c.id, t.label, t.body, 'person', t.production_id FROM search_changes c JOIN searched_people t ON t.id = c.id / 10 WHERE c.id % 10 = 1
UNION ALL SELECT c.id, t.label, t.body, 'delivery', t.production_id FROM search_changes c JOIN searched_deliveries t ON t.id = c.id / 10 WHERE c.id % 10 = 2
UNION ALL SELECT c.id, t.label, t.body, 'approval', t.production_id FROM search_changes c JOIN searched_approvals t ON t.id = c.id / 10 WHERE c.id % 10 = 3
UNION ALL SELECT c.id, t.label, t.body, 'shoot_day', t.production_id FROM search_changes c JOIN searched_shoot_days t ON t.id = c.id / 10 WHERE c.id % 10 = 4

-- name: add_searched_labels
INSERT INTO search_labels (rowid, label, kind, production_id)
SELECT rowid, label, kind, production_id FROM search WHERE rowid IN (SELECT id FROM search_changes)

-- name: settle_search_changes
DELETE FROM search_changes
