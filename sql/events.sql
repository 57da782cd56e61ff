-- The event log. Order: as committed.

-- name: record_event
INSERT INTO events (production_id, type, subject_kind, subject_id, actor, activity_id, data, created_at)
VALUES (:production_id, :type, :subject_kind, :subject_id, :actor, :activity_id, :data, :now)
