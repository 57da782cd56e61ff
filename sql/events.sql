-- The event log. Order: as committed.

-- name: record_event
INSERT INTO events (production_id, type, subject_kind, subject_id, actor, activity_id, data, created_at)
VALUES (:production_id, :type, :subject_kind, :subject_id, :actor, :activity_id, :data, :now)

-- name: last_event_id
SELECT coalesce(max(id), 0) FROM events

-- name: event_bounds
-- The id of the newest event of the production, and of the newest one that was removed.
SELECT coalesce((SELECT max(id) FROM events WHERE production_id = :production_id), 0) AS last,
  coalesce((SELECT id FROM event_floors WHERE production_id = :production_id), 0) AS floor

-- fragment: event_document
json_object(
  'id', id, 'type', type, 'timestamp', created_at,
  'subject', json_object('kind', subject_kind, 'id', subject_id),
  'actor', actor, 'activity_id', activity_id, 'data', json(data))

-- name: list_events
-- The document is null for an event of another type.
SELECT id, type,
  iif(:types IS NULL OR type IN (SELECT value FROM json_each(:types)), {{event_document}}, NULL) AS document
FROM events
WHERE production_id = :production_id AND id > :after AND id <= :until
ORDER BY id LIMIT :window

-- name: list_oldest_events
SELECT id, production_id, created_at FROM events ORDER BY id LIMIT :limit

-- name: delete_events
DELETE FROM events WHERE id <= :through

-- name: raise_event_floor
INSERT INTO event_floors (production_id, id) VALUES (:production_id, :id)
ON CONFLICT (production_id) DO UPDATE SET id = max(id, excluded.id)

-- fragment: old_change_sets
SELECT id FROM change_sets WHERE created_at < :before ORDER BY created_at LIMIT :limit

-- name: list_media_of_old_sets
SELECT DISTINCT sha256 FROM change_set_media WHERE change_set_id IN ({{old_change_sets}})

-- name: trim_change_sets
DELETE FROM change_sets WHERE id IN ({{old_change_sets}})
