-- Productions. Order: by id.

-- name: get_production
SELECT json_remove(
  json_object(
    'id', p.id, 'title', p.title, 'logline', p.logline, 'status', p.status, 'phase', p.phase, 'accent', p.accent,
    'format', p.format, 'season_number', p.season_number, 'current_episode_id', p.current_episode_id, 'time_zone', p.time_zone,
    'stats', json_object(
      'departments', (SELECT count(*) FROM departments WHERE production_id = p.id),
      'open_approvals', (SELECT count(*) FROM approvals WHERE production_id = p.id AND status = 'pending'),
      'deliveries_in_flight', (SELECT count(*) FROM deliveries WHERE production_id = p.id AND status IN ('blocked', 'ready', 'sent')),
      'scenes', (SELECT count(*) FROM nodes WHERE production_id = p.id AND kind = 'scene'),
      'nodes', (SELECT count(*) FROM nodes WHERE production_id = p.id))),
  iif(p.season_number IS NULL, '$.season_number', '$.~'), iif(p.format = 'single', '$.current_episode_id', '$.~'),
  iif(p.time_zone IS NULL, '$.time_zone', '$.~'))
FROM productions p
WHERE p.id = :production_id

-- name: get_time_zone
SELECT time_zone FROM productions WHERE id = :production_id

-- name: list_productions
SELECT id, title, format, status, phase, created_at FROM productions ORDER BY id

-- name: find_production
-- By id or by title. The other parameter is null.
SELECT id, title FROM productions WHERE id = :id OR name_key(title) = name_key(:title)

-- name: list_episodes
-- Order: by position. The place of a page is the ids of the episodes that were sent, because an import may move
-- episodes.
SELECT e.id AS place, json_object('id', e.id, 'code', e.code, 'title', e.title) AS document
FROM episodes e
WHERE e.production_id = :production_id
  AND e.id NOT IN (SELECT value FROM json_each(coalesce(:after, '[]')))
ORDER BY e.position, e.id LIMIT :limit

-- name: list_episode_ids
SELECT id FROM episodes WHERE production_id = :production_id ORDER BY id
