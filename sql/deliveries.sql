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

-- fragment: awaited_of_delivery
-- Who must act on delivery d: whoever decides its pending approvals; if it has none, the heads of the department that
-- sends it.
iif(EXISTS (SELECT 1 FROM approvals a WHERE a.delivery_id = d.id AND a.status = 'pending'),
  (SELECT jsonb_group_array(json_object('person_id', person.id, 'person', person.name, 'approval_id', a.id) ORDER BY a.id)
   FROM approvals a
   JOIN approval_steps step ON step.approval_id = a.id AND step.position =
     (SELECT min(position) FROM approval_steps WHERE approval_id = a.id AND status = 'pending')
   JOIN people person ON person.id = step.person_id
   WHERE a.delivery_id = d.id AND a.status = 'pending'),
  (SELECT jsonb_group_array(json_object('person_id', person.id, 'person', person.name, 'approval_id', NULL) ORDER BY person.id)
   FROM people person WHERE person.department_id = d.from_department_id AND person.is_hod AND person.active))

-- fragment: nodes_of_delivery
-- JSON list of the scenes and assets that delivery d is about and that are reached.
(SELECT jsonb_group_array({{node_reference}} ORDER BY n.id)
 FROM delivery_nodes about CROSS JOIN nodes n ON n.id = about.node_id
 WHERE about.delivery_id = d.id AND {{node_is_reached}})

-- fragment: delivery_is_asked_for
-- Whether delivery d is one that the filters of its list ask for. A text that is no date is before no date.
(:status IS NULL OR d.status IN (SELECT value FROM json_each(:status)))
  AND (:due_before IS NULL OR (d.due < :due_before AND date(d.due) IS d.due))

-- name: list_deliveries
WITH {{reach}}
SELECT d.id AS place,
  json(jsonb_remove(
    jsonb_insert({{delivery_row}},
      '$.media', {{delivery_media}},
      '$.awaiting', CASE WHEN 'awaiting' IN {{included}} THEN {{awaited_of_delivery}} END,
      '$.nodes', CASE WHEN 'nodes' IN {{included}} THEN {{nodes_of_delivery}} END),
    iif('awaiting' IN {{included}}, '$.~', '$.awaiting'), iif('nodes' IN {{included}}, '$.~', '$.nodes'))) AS document
FROM deliveries d
WHERE d.production_id = :production_id AND d.id > coalesce(:after, 0)
  AND {{delivery_is_asked_for}}
ORDER BY d.id LIMIT :limit

-- name: get_delivery
WITH {{reach}}
SELECT json(jsonb_remove(
  jsonb_insert({{delivery_row}}, '$.media', {{delivery_media}}, '$.nodes', CASE WHEN 'nodes' IN {{included}} THEN {{nodes_of_delivery}} END),
  iif('nodes' IN {{included}}, '$.~', '$.nodes')))
FROM deliveries d WHERE d.production_id = :production_id AND d.id = :delivery_id
