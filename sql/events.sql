-- The event log. Order: as committed.

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

-- name: trim_activity
-- The oldest rows, until one is newer. Never the newest row: its id tells the next one.
DELETE FROM activity WHERE id < (
  SELECT min(ifnull((SELECT id FROM activity WHERE created_at >= :before ORDER BY id LIMIT 1), max(id)), max(id)) FROM activity)
  AND id IN (SELECT id FROM activity ORDER BY id LIMIT :limit)

-- name: trim_audit
-- The oldest rows, until one is newer. Never the newest row: its id tells the next one.
DELETE FROM audit WHERE id < (
  SELECT min(ifnull((SELECT id FROM audit WHERE created_at >= :before ORDER BY id LIMIT 1), max(id)), max(id)) FROM audit)
  AND id IN (SELECT id FROM audit ORDER BY id LIMIT :limit)

-- name: trim_storage_events
-- The oldest rows, until one is newer. Never the newest row: its id tells the next one.
DELETE FROM storage_events WHERE id < (
  SELECT min(ifnull((SELECT id FROM storage_events WHERE received_at >= :before ORDER BY id LIMIT 1), max(id)), max(id)) FROM storage_events)
  AND id IN (SELECT id FROM storage_events ORDER BY id LIMIT :limit)
