-- Order: deliveries and nodes by id, submissions newest first.

-- name: list_turnovers
WITH {{reach}}
SELECT d.id AS place,
  json_remove(
    json_object({{delivery_document}},
      'can_submit', iif(d.id IN (SELECT delivery_id FROM submittable_deliveries), json('true'), json('false')),
      'nodes', {{nodes_of_delivery}},
      'media', {{delivery_media}}),
    {{without_absent}}) AS document
FROM deliveries d
WHERE d.production_id = :production_id
  AND :engagement_id IS NOT NULL
  AND {{delivery_is_reached}}
  AND {{delivery_is_asked_for}}
  AND d.id > coalesce(:after, 0)
ORDER BY d.id LIMIT :limit

-- name: get_turnover
-- A delivery that the engagement reaches, and whether it may submit work on it.
WITH {{reach}}
SELECT d.id, d.title, d.id IN (SELECT delivery_id FROM submittable_deliveries) AS can_submit
FROM deliveries d
WHERE d.production_id = :production_id AND d.id = :delivery_id AND {{delivery_is_reached}}

-- name: find_submittable
-- A delivery on which the engagement may submit work.
WITH {{reach}}
SELECT delivery_id FROM submittable_deliveries ORDER BY delivery_id LIMIT 1

-- name: find_submissions
-- A delivery whose list of submissions is reached.
WITH {{reach}}
SELECT d.id FROM deliveries d
WHERE d.production_id = :production_id AND d.id = :delivery_id AND ({{delivery_is_reached}} OR {{has_submitted}})

-- name: create_submission
-- The id of a removed submission is never given again. It is at least :least_id.
INSERT INTO submissions (id, production_id, delivery_id, engagement_id, status, title, note, answers, external_id, created_by, created_at, later_at)
SELECT max(1 + (SELECT ifnull(max(id), 0) FROM submissions), 1 + ifnull((SELECT id FROM last_ids WHERE part = 'submissions'), 0), :least_id),
  :production_id, :delivery_id, :engagement_id, 'submitted', :title, :note, :answers, :external_id, :created_by, :now,
  (SELECT nullif(max(placed_at, :now), :now) FROM submissions WHERE delivery_id = :delivery_id ORDER BY placed_at DESC LIMIT 1)

-- name: find_answered
-- An earlier submission of an engagement on a delivery.
SELECT id FROM submissions
WHERE production_id = :production_id AND id = :answers AND delivery_id = :delivery_id AND engagement_id = :engagement_id

-- name: find_submission_by_external_id
-- The submission of an engagement, with the hashes of its files in order.
SELECT w.id, w.delivery_id, (SELECT json_group_array(sha256 ORDER BY sha256) FROM media WHERE work_item_id = w.id) AS hashes
FROM submissions w
WHERE w.production_id = :production_id AND w.engagement_id = :engagement_id AND w.external_id = :external_id

-- name: get_engagement_use
-- What triggers have counted.
SELECT files, bytes FROM engagement_use WHERE engagement_id = :engagement_id

-- name: get_waiting_uploads
-- The resumable uploads of the keys of an engagement that may still be submitted, with their declared lengths.
SELECT count(*) AS files, ifnull(sum(u.length), 0) AS bytes FROM uploads u JOIN api_keys k ON k.id = u.key_id
WHERE k.engagement_id = :engagement_id AND u.used_at IS NULL AND u.expires_at > :now

-- fragment: submission_document
-- Fields of submission w.
'id', w.id, 'delivery_id', w.delivery_id, 'status', w.status, 'title', w.title, 'note', w.note, 'decision_note', w.decision_note,
'created_at', w.created_at, 'external_id', w.external_id, 'answers', w.answers, 'decided_at', w.decided_at, 'decided_by', w.decided_by,
'media', (
  SELECT jsonb_group_array(
    json_object('id', m.id, 'label', m.label, 'kind', m.kind, 'sha256', m.sha256, 'size', blob.size, 'content_type', blob.content_type) ORDER BY m.id)
  FROM media m CROSS JOIN blobs blob ON blob.sha256 = m.sha256 WHERE m.work_item_id = w.id)

-- fragment: without_absent_notes
-- The JSON paths of the notes that submission w does not have, for jsonb_remove.
iif(w.note IS NULL, '$.note', '$.~'), iif(w.decision_note IS NULL, '$.decision_note', '$.~'), iif(w.external_id IS NULL, '$.external_id', '$.~')

-- fragment: vendor_submission
-- Submission w as the list of its delivery shows it.
json_remove(
  json_object({{submission_document}}, 'vendor', (
    SELECT v.name FROM engagements e CROSS JOIN vendors v ON v.id = e.vendor_id WHERE e.id = w.engagement_id)),
  {{without_absent_notes}})

-- name: list_submissions
-- The pages are ranges of the index submissions_newest.
WITH {{reach}}
SELECT w.placed_at AS place, w.id AS tie,
  {{vendor_submission}} AS document
FROM submissions w
WHERE w.delivery_id = :delivery_id AND +w.production_id = :production_id AND {{submission_is_reached}}
  AND (w.placed_at, w.id) < (coalesce(:after, '~'), coalesce(:after_tie, 0))
ORDER BY w.placed_at DESC, w.id DESC LIMIT :limit

-- name: get_submission
SELECT json_remove(json_object({{submission_document}}), {{without_absent_notes}})
FROM submissions w
WHERE w.production_id = :production_id AND w.id = :id
