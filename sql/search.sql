-- Order of what is found: by rank, then by kind and id.

-- fragment: searched_here
-- Whether the row of search is of the production and of a kind that was asked for.
production_id = :production_id AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))

-- fragment: after_the_page
-- Whether a thing that was found comes after the last one of the page before.
(:after IS NULL OR (rank || ' ' || kind, id / 10) > (:after, :after_tie))

-- name: search
-- Ranks: 0 a scene by its number or a thing by its whole label, 1 every word is in the label, 2 every word begins a
-- word of the label, 3 some words are only in the body, 4 (told as 3) every word is in the script of the scene. Each
-- list is cut at 200, and made only if those before it do not fill the page, each thing by its best rank: FTS5 collects
-- everything with a beginning that is long and frequent.
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
  UNION ALL SELECT * FROM (SELECT rowid, iif(label = :q, 0, 1), kind FROM search_labels WHERE search_labels MATCH :words AND {{searched_here}} ORDER BY rowid LIMIT 200)
),
by_label (id, rank, kind) AS MATERIALIZED (
  SELECT * FROM by_words
  UNION ALL SELECT * FROM (
    SELECT rowid, 2, kind FROM search_labels
    WHERE search_labels MATCH iif((SELECT count(*) FROM (SELECT id, min(rank) AS rank, kind FROM by_words GROUP BY id) WHERE {{after_the_page}}) < :limit, :beginnings, '""') AND {{searched_here}}
    ORDER BY rowid LIMIT 200)
),
found (id, rank, kind) AS MATERIALIZED (
  SELECT * FROM by_label
  UNION ALL SELECT * FROM (
    SELECT rowid, 3, kind FROM search
    WHERE search MATCH iif((SELECT count(*) FROM (SELECT id, min(rank) AS rank, kind FROM by_label GROUP BY id) WHERE {{after_the_page}}) < :limit, coalesce(:near, :beginnings), '""') AND {{searched_here}}
    ORDER BY rowid LIMIT 200)
),
in_scripts (id, rank, kind) AS (
  SELECT * FROM found
  UNION ALL SELECT * FROM (
    SELECT search_scripts.rowid, 4, 'scene' FROM search_scripts CROSS JOIN nodes n ON n.id = search_scripts.rowid / 10
    WHERE search_scripts MATCH iif((SELECT count(*) FROM (SELECT id, min(rank) AS rank, kind FROM found GROUP BY id) WHERE {{after_the_page}}) < :limit, :words, '""')
      AND n.production_id = :production_id AND (:kinds IS NULL OR 'scene' IN (SELECT value FROM json_each(:kinds)))
    ORDER BY search_scripts.rowid LIMIT 200)
),
best (id, rank, kind) AS MATERIALIZED (
  SELECT id, rank, kind FROM (SELECT id, min(rank) AS rank, kind FROM in_scripts GROUP BY id) WHERE {{after_the_page}}
  ORDER BY rank, kind, id LIMIT :limit
)
SELECT best.rank || ' ' || best.kind AS place, best.id / 10 AS tie,
  json_object('kind', best.kind, 'id', best.id / 10, 'label', search.shown_label, 'excerpt', iif(best.rank < 4, search.shown_body, (
      SELECT ifnull(t.approved, t.scene) ->> '$.text' FROM script_scenes t WHERE t.node_id = best.id / 10 ORDER BY t.id LIMIT 1)),
    'rank', min(best.rank, 3)) AS document
FROM best CROSS JOIN search ON search.rowid = best.id
ORDER BY best.rank, best.kind, best.id

-- name: list_known_words
-- Those of :words that the index has, and all that begin with :first.
SELECT value AS word FROM json_each(:words) WHERE EXISTS (SELECT 1 FROM search_words WHERE term = value)
UNION SELECT term FROM search_words WHERE term >= :first AND term < char(unicode(:first) + 1)

-- name: list_reached_nodes
WITH {{reach}}, {{candidates}}
SELECT n.id, n.kind
FROM candidates CROSS JOIN nodes n ON n.id = candidates.id
WHERE n.production_id = :production_id AND {{node_is_reached}}
ORDER BY n.id

-- name: list_reached_media
WITH {{reach}}, {{candidates}},
-- possible: the media that may be reached; media_is_reached decides
possible (id) AS NOT MATERIALIZED (
  SELECT m.id
  FROM candidates CROSS JOIN versions v ON v.node_id = candidates.id CROSS JOIN media m ON m.version_id = v.id
  UNION SELECT m.id FROM live CROSS JOIN media m ON m.delivery_id = live.delivery_id
  UNION SELECT m.id FROM submissions w CROSS JOIN media m ON m.work_item_id = w.id WHERE w.engagement_id = :engagement_id
)
SELECT json_group_array({{medium_document}} ORDER BY m.id)
FROM possible CROSS JOIN media m ON m.id = possible.id CROSS JOIN blobs blob ON blob.sha256 = m.sha256
WHERE m.production_id = :production_id AND {{media_is_reached}}

-- name: reaches_money
WITH {{reach}}
SELECT EXISTS (SELECT 1 FROM money_departments)

-- name: list_submitted_deliveries
-- The deliveries whose list of submissions the engagement reaches.
WITH {{reach}},
possible (id) AS NOT MATERIALIZED (
  SELECT delivery_id FROM live WHERE delivery_id IS NOT NULL
  UNION SELECT delivery_id FROM submissions WHERE engagement_id = :engagement_id
)
SELECT d.id FROM possible CROSS JOIN deliveries d ON d.id = possible.id
WHERE d.production_id = :production_id AND ({{delivery_is_reached}} OR {{has_submitted}})
ORDER BY d.id

-- name: get_asset_usage
-- :node_id is an asset. Its shoot days are those of its scenes that are not omitted.
WITH used_in (node_id) AS MATERIALIZED (
  SELECT link.from_node_id FROM node_links link CROSS JOIN scenes s ON s.node_id = link.from_node_id WHERE link.to_node_id = :node_id
),
about (delivery_id) AS MATERIALIZED (SELECT delivery_id FROM delivery_nodes WHERE node_id = :node_id)
SELECT json_object(
  'asset', {{asset_row}},
  'newest', (
    SELECT jsonb_object('id', v.id, 'version', v.version, 'variant', v.variant, 'status', v.status,
      'released', iif(v.released, json('true'), json('false')))
    FROM versions v WHERE v.node_id = n.id AND v.archived = 0 ORDER BY v.version DESC LIMIT 1),
  'newest_released', (
    SELECT jsonb_object('id', v.id, 'version', v.version, 'variant', v.variant, 'status', v.status, 'released', json('true'),
      'media_id', (SELECT id FROM media WHERE version_id = v.id))
    FROM versions v WHERE v.node_id = n.id AND v.archived = 0 AND v.released = 1 ORDER BY v.version DESC LIMIT 1),
  'scenes', (
    SELECT jsonb_group_array(
      jsonb_remove(
        json_object({{scene_reference}}, 'status', scene.status, 'shoot_day_ids', {{days_of_scene}}),
        iif(s.episode_id IS NULL, '$.episode_code', '$.~'))
      ORDER BY s.script_order)
    FROM used_in CROSS JOIN scenes s ON s.node_id = used_in.node_id CROSS JOIN nodes scene ON scene.id = s.node_id),
  'shoot_days', (
    SELECT jsonb_group_array(
      {{shoot_day_row}} ORDER BY day.day_number, day.unit)
    FROM shoot_days day
    WHERE day.id IN (
      SELECT strips.shoot_day_id FROM used_in CROSS JOIN strips ON strips.node_id = used_in.node_id
      CROSS JOIN nodes scene ON scene.id = used_in.node_id WHERE scene.status <> 'omitted')),
  'approvals', (
    SELECT jsonb_group_array(json_object({{approval_row}}, {{gating_approval}}) ORDER BY a.id)
    FROM approvals a
    WHERE a.id IN (
      SELECT id FROM approvals WHERE node_id = :node_id
      UNION SELECT gated.id FROM about CROSS JOIN approvals gated ON gated.delivery_id = about.delivery_id)),
  'deliveries', (
    SELECT jsonb_group_array(
      json_remove(
        json_object('id', d.id, 'title', d.title, 'status', d.status, 'due', d.due, 'external_to', d.external_to),
        iif(d.due IS NULL, '$.due', '$.~'), iif(d.external_to IS NULL, '$.external_to', '$.~'))
      ORDER BY d.id)
    FROM about CROSS JOIN deliveries d ON d.id = about.delivery_id),
  'grants', (
    SELECT jsonb_group_array(
      json_object('engagement_id', g.engagement_id, 'vendor', vendor.name, 'verb', g.verb, 'expires_at', g.expires_at) ORDER BY g.id)
    FROM grants g CROSS JOIN engagements e ON e.id = g.engagement_id CROSS JOIN vendors vendor ON vendor.id = e.vendor_id
    WHERE g.production_id = :production_id AND {{grant_is_live}} AND {{grant_shows_node}}))
FROM nodes n
WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind <> 'scene'

-- name: list_assets_of_label
SELECT id FROM nodes WHERE production_id = :production_id AND name_key(label) = name_key(:label) AND kind <> 'scene' ORDER BY id
