-- Productions. Order: by id.

-- name: get_production
SELECT json_remove(
  json_object(
    'id', p.id, 'title', p.title, 'logline', p.logline, 'status', p.status, 'phase', p.phase, 'accent', p.accent,
    'format', p.format, 'season_number', p.season_number,
    'stats', json_object(
      'departments', (SELECT count(*) FROM departments WHERE production_id = p.id),
      'open_approvals', (SELECT count(*) FROM approvals WHERE production_id = p.id AND status = 'pending'),
      'deliveries_in_flight', (SELECT count(*) FROM deliveries WHERE production_id = p.id AND status IN ('blocked', 'ready', 'sent')),
      'scenes', (SELECT count(*) FROM nodes WHERE production_id = p.id AND kind = 'scene'),
      'nodes', (SELECT count(*) FROM nodes WHERE production_id = p.id))),
  iif(p.season_number IS NULL, '$.season_number', '$.~'))
FROM productions p
WHERE p.id = :production_id

-- name: list_productions
SELECT id, title, format, status, phase, created_at FROM productions ORDER BY id

-- name: find_production
-- By id or by title. The other parameter is null.
SELECT id, title FROM productions WHERE id = :id OR name_key(title) = name_key(:title)

-- name: list_episodes
-- Order: by position. The place of a page is the ids of the episodes that were sent, because an import may move episodes.
SELECT e.id AS place, json_object('id', e.id, 'code', e.code, 'title', e.title) AS document
FROM episodes e
WHERE e.production_id = :production_id
  AND e.id NOT IN (SELECT value FROM json_each(coalesce(:after, '[]')))
ORDER BY e.position, e.id LIMIT :limit

-- name: list_episode_ids
SELECT id FROM episodes WHERE production_id = :production_id ORDER BY id

-- name: list_former_names
-- The names that things of a section had before they were renamed, with their ids, oldest first.
SELECT c.value ->> '$.id' AS id, c.value ->> ('$.fields.' || :field || '.from') AS name
FROM change_sets s, json_each(s.changes) c
WHERE s.production_id = :production_id AND s.changed > 0 AND instr(s.changes, '"section":"' || :section || '"') > 0
  AND c.value ->> '$.section' = :section AND c.value ->> '$.action' = 'change'
  AND json_type(c.value, '$.fields.' || :field || '.from') = 'text'
ORDER BY s.id

-- name: export_names
-- The things of a noun, each with what names it: a code, a slug, a name, a number, a title or a label.
SELECT id, code AS label, NULL AS ref, NULL AS kind, NULL AS episode
FROM episodes WHERE :noun = 'episode' AND production_id = :production_id
UNION ALL
SELECT id, slug, NULL, NULL, NULL FROM departments WHERE :noun = 'department' AND production_id = :production_id
UNION ALL
SELECT id, name, NULL, NULL, NULL FROM people WHERE :noun = 'person' AND production_id = :production_id
UNION ALL
SELECT id, name, NULL, NULL, NULL FROM vendors WHERE :noun = 'vendor' AND production_id = :production_id
UNION ALL
SELECT s.node_id, s.number, NULL, 'scene', e.code
FROM scenes s LEFT JOIN episodes e ON e.id = s.episode_id
WHERE :noun = 'scene' AND s.production_id = :production_id
UNION ALL
SELECT id, label, ref, kind, NULL
FROM nodes WHERE :noun = 'asset' AND production_id = :production_id AND kind <> 'scene'
UNION ALL
SELECT id, label, ref, NULL, NULL FROM ingredients WHERE :noun = 'ingredient' AND production_id = :production_id
UNION ALL
SELECT id, title, ref, NULL, NULL FROM engagements WHERE :noun = 'engagement' AND production_id = :production_id
UNION ALL
SELECT id, title, ref, NULL, NULL FROM deliveries WHERE :noun = 'delivery' AND production_id = :production_id
UNION ALL
SELECT id, title, ref, NULL, NULL FROM approvals WHERE :noun = 'approval' AND production_id = :production_id
