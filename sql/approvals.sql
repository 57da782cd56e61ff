-- Order: as the production lists them; steps as they are taken.

-- fragment: approval_row
-- of an approval under the name a
'id', a.id, 'title', a.title, 'status', a.status, 'mode', a.mode, 'due', a.due

-- fragment: approval_document
-- of an approval under the name a, whole
json_object({{approval_row}},
  'node_id', a.node_id, 'delivery_id', a.delivery_id,
  'steps', json((SELECT json_group_array(json(document)) FROM (
    SELECT json_object(
      'position', step.position, 'person_id', step.person_id,
      'person', (SELECT name FROM people WHERE id = step.person_id),
      'status', step.status, 'decided_at', step.decided_at, 'note', step.note,
      'decided_by', (SELECT name FROM people WHERE id = step.decided_by_person_id)) AS document
    FROM approval_steps step WHERE step.approval_id = a.id ORDER BY step.position))))

-- name: list_approvals
SELECT json_group_array(json(document)) FROM (
  SELECT {{approval_document}} AS document
  FROM approvals a
  WHERE a.production_id = :production_id AND (:status IS NULL OR a.status = :status)
  ORDER BY a.id)

-- name: get_approval
SELECT {{approval_document}} FROM approvals a WHERE a.production_id = :production_id AND a.id = :approval_id
