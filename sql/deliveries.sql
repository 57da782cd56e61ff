-- Order: by id. The gating approval is the newest approval of the delivery.

-- fragment: delivery_document
-- Fields of delivery d that every list of deliveries has.
'id', d.id, 'title', d.title, 'status', d.status, 'due', d.due, 'external_to', d.external_to, 'spec', json(d.spec), 'sent_at', d.sent_at

-- fragment: without_absent
-- JSON paths of the optional fields that delivery d does not have, for jsonb_remove: they are omitted, not null.
iif(d.due IS NULL, '$.due', '$.~'), iif(d.external_to IS NULL, '$.external_to', '$.~')

-- fragment: delivery_row
-- Delivery d as production-wide keys see it.
jsonb_remove(
  json_object({{delivery_document}},
    'kind', d.kind,
    'from_department', (SELECT slug FROM departments WHERE id = d.from_department_id),
    'to_department', (SELECT slug FROM departments WHERE id = d.to_department_id),
    'approval', (
      SELECT jsonb_object('id', a.id, 'title', a.title, 'status', a.status, 'mode', a.mode)
      FROM approvals a WHERE a.delivery_id = d.id ORDER BY a.id DESC LIMIT 1)),
  {{without_absent}})

-- name: list_deliveries
WITH {{reach}}
SELECT d.id AS place, json(jsonb_insert({{delivery_row}}, '$.media', {{delivery_media}})) AS document
FROM deliveries d
WHERE d.production_id = :production_id AND d.id > coalesce(:after, 0)
ORDER BY d.id LIMIT :limit

-- name: get_delivery
SELECT json({{delivery_row}}) FROM deliveries d WHERE d.production_id = :production_id AND d.id = :delivery_id
