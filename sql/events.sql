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

-- name: list_removable_events
-- What is older than :before, and what is beyond the newest ones that are kept.
SELECT id, production_id FROM (
  SELECT id, production_id FROM (SELECT id, production_id FROM events WHERE created_at < :before ORDER BY created_at, id LIMIT :limit)
  UNION SELECT id, production_id FROM (SELECT id, production_id FROM events WHERE id <= :last ORDER BY id LIMIT :limit))
ORDER BY id LIMIT :limit

-- name: delete_events
DELETE FROM events WHERE id IN (SELECT value FROM json_each(:ids))

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
-- Never the newest row: its id tells the next one.
DELETE FROM activity WHERE id <> (SELECT max(id) FROM activity)
  AND id IN (SELECT id FROM activity WHERE created_at < :before ORDER BY created_at, id LIMIT :limit)

-- name: trim_audit
-- Never the newest row: its id tells the next one.
DELETE FROM audit WHERE id <> (SELECT max(id) FROM audit)
  AND id IN (SELECT id FROM audit WHERE created_at < :before ORDER BY created_at, id LIMIT :limit)

-- name: trim_storage_events
-- Never the newest row: its id tells the next one.
DELETE FROM storage_events WHERE id <> (SELECT max(id) FROM storage_events)
  AND id IN (SELECT id FROM storage_events WHERE received_at < :before ORDER BY received_at, id LIMIT :limit)
