-- Order: by the id of the delivery.

-- name: list_turnovers
WITH {{reach}}
SELECT json_group_array(
  jsonb_remove(
    jsonb_object({{delivery_document}},
      'can_submit', json(iif(d.id IN (SELECT delivery_id FROM submittable_deliveries), 'true', 'false'))),
    {{without_absent}})
  ORDER BY d.id)
FROM deliveries d
WHERE d.production_id = :production_id
  AND :engagement_id IS NOT NULL
  AND {{delivery_is_reached}}

-- name: get_turnover
-- A delivery that the engagement reaches, and whether it may submit work on it.
WITH {{reach}}
SELECT d.id, d.title, d.id IN (SELECT delivery_id FROM submittable_deliveries) AS can_submit
FROM deliveries d
WHERE d.production_id = :production_id AND d.id = :delivery_id AND {{delivery_is_reached}}

-- name: create_submission
INSERT INTO submissions (production_id, delivery_id, engagement_id, status, title, note, created_by, created_at)
VALUES (:production_id, :delivery_id, :engagement_id, 'submitted', :title, :note, :created_by, :now)

-- name: get_submission
SELECT json_remove(
  jsonb_object(
    'id', w.id, 'delivery_id', w.delivery_id, 'status', w.status, 'title', w.title, 'note', w.note, 'created_at', w.created_at,
    'media', (
      SELECT jsonb_group_array(jsonb_object('id', m.id, 'label', m.label, 'kind', m.kind) ORDER BY m.id)
      FROM media m WHERE m.work_item_id = w.id)),
  iif(w.note IS NULL, '$.note', '$.~'))
FROM submissions w
WHERE w.production_id = :production_id AND w.id = :id
