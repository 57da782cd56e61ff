-- The event log. Order: as committed.

-- name: last_event_id
SELECT coalesce(max(id), 0) FROM events

-- name: event_bounds
-- The id of the newest event of the production, and of the newest one that was removed.
SELECT coalesce((SELECT max(id) FROM events WHERE production_id = :production_id), 0) AS last,
  coalesce((SELECT id FROM event_floors WHERE production_id = :production_id), 0) AS floor

-- fragment: event_document
-- Event e. What a sentence about it needs comes from its activity entry and from its subject, as they are now.
json_object(
  'id', e.id, 'type', e.type, 'timestamp', e.created_at, 'production_id', e.production_id,
  'subject', json_object('kind', e.subject_kind, 'id', e.subject_id),
  'label', {{subject_label}},
  'actor', e.actor,
  'person', (SELECT person.name FROM activity entry CROSS JOIN people person ON person.id = entry.actor_person_id WHERE entry.id = e.activity_id),
  'activity_id', e.activity_id,
  'summary', (SELECT summary FROM activity WHERE id = e.activity_id),
  'data', json(e.data))

-- fragment: subject_label
-- What the subject of event e is called.
CASE e.subject_kind
  WHEN 'asset' THEN {{named_node}} e.subject_id)
  WHEN 'scene' THEN {{named_node}} e.subject_id)
  WHEN 'version' THEN {{named_node}} (SELECT node_id FROM versions WHERE id = e.subject_id))
  WHEN 'note' THEN {{named_node}} (SELECT node_id FROM notes WHERE id = e.subject_id))
  WHEN 'approval' THEN (SELECT title FROM approvals WHERE id = e.subject_id AND production_id = e.production_id)
  WHEN 'delivery' THEN (SELECT title FROM deliveries WHERE id = e.subject_id AND production_id = e.production_id)
  WHEN 'submission' THEN (SELECT title FROM submissions WHERE id = e.subject_id AND production_id = e.production_id)
  WHEN 'person' THEN (SELECT name FROM people WHERE id = e.subject_id AND production_id = e.production_id)
END

-- fragment: named_node
-- The label of a node of the production of event e; its id and a parenthesis follow.
(SELECT {{node_label}} FROM nodes n WHERE n.production_id = e.production_id AND n.id =

-- name: list_events
-- The document is null for an event of another type.
SELECT e.id, e.type,
  iif(:types IS NULL OR e.type IN (SELECT value FROM json_each(:types)), {{event_document}}, NULL) AS document
FROM events e
WHERE e.production_id = :production_id AND e.id > :after AND e.id <= :until
ORDER BY e.id LIMIT :window

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
