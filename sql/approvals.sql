-- Order: approvals by id, steps by position.

-- fragment: approval_row
-- Fields of the list row of approval a.
'id', a.id, 'title', a.title, 'status', a.status, 'mode', a.mode, 'due', a.due, 'version_id', a.version_id

-- fragment: steps_document
-- The steps of one round. A decided one has the name that it was signed with, whatever the person is called now.
jsonb_group_array(
  json_object(
    'position', step.position, 'person_id', step.person_id,
    'person', ifnull(
      iif(ifnull(step.decided_by_person_id, step.person_id) = step.person_id, step.signed_as, NULL),
      (SELECT name FROM people WHERE id = step.person_id)),
    'status', step.status, 'decided_at', step.decided_at, 'note', step.note,
    'decided_by', iif(step.decided_by_person_id IS NULL, NULL, step.signed_as), 'version_id', step.version_id)
  ORDER BY step.position)

-- fragment: awaited_step
-- The next step of approval a, as `step`, if the approval is pending.
approval_steps step WHERE a.status = 'pending' AND step.approval_id = a.id AND step.position =
  (SELECT min(position) FROM approval_steps WHERE approval_id = a.id AND status = 'pending')

-- fragment: signed_version
-- The version that approval a signs: the one that it names, otherwise the newest of its asset that is not archived.
ifnull(a.version_id, (SELECT id FROM versions WHERE node_id = a.node_id AND archived = 0 ORDER BY version DESC LIMIT 1))

-- fragment: comparable_version
-- Whether version v is one of the asset of approval a, and of the variant of the version that a names, if it names one.
v.node_id = a.node_id AND (a.version_id IS NULL OR v.variant = (SELECT variant FROM versions WHERE id = a.version_id))

-- fragment: newest_version
-- The id of the newest version that approval a may be asked about: of the asset and the variant that it is about, and
-- not archived.
(SELECT v.id FROM versions v WHERE {{comparable_version}} AND v.archived = 0 ORDER BY v.version DESC LIMIT 1)

-- fragment: gating_approval
-- Fields of approval a that say what it gates, and whom it waits for.
'node_id', a.node_id, 'delivery_id', a.delivery_id,
'awaiting', {{awaiting_of_approval}}

-- fragment: awaiting_of_approval
-- The people for whom approval a waits.
(
  SELECT jsonb_group_array(
    json_object('person_id', step.person_id, 'person', (SELECT name FROM people WHERE id = step.person_id)))
  FROM {{awaited_step}})

-- fragment: approval_document
-- The whole approval a, with its steps and those of its former rounds.
json_object({{approval_row}}, {{gating_approval}},
  'steps', (SELECT {{steps_document}} FROM approval_steps step WHERE step.approval_id = a.id),
  'rounds', (
    SELECT jsonb_group_array(steps ORDER BY round)
    FROM (SELECT step.round, {{steps_document}} AS steps FROM former_steps step WHERE step.approval_id = a.id GROUP BY step.round)))

-- name: list_approvals
SELECT a.id AS place, {{approval_document}} AS document
FROM approvals a
WHERE a.production_id = :production_id AND (:status IS NULL OR a.status = :status) AND a.id > coalesce(:after, 0)
  AND (:node_id IS NULL OR a.node_id = :node_id)
  AND (:delivery_id IS NULL OR a.delivery_id = :delivery_id)
  AND (:person_id IS NULL OR :person_id = (SELECT step.person_id FROM {{awaited_step}}))
ORDER BY a.id LIMIT :limit

-- name: get_approval
SELECT {{approval_document}} FROM approvals a WHERE a.production_id = :production_id AND a.id = :approval_id

-- name: get_open_step
-- An approval and its current step. The step's columns are null if every step is decided.
SELECT a.title, a.status, a.mode, a.node_id, a.delivery_id, step.position, step.person_id,
  {{signed_version}} AS signed_version_id, {{newest_version}} AS newest_version_id
FROM approvals a LEFT JOIN approval_steps step ON step.approval_id = a.id AND step.position =
  (SELECT min(position) FROM approval_steps WHERE approval_id = a.id AND status = 'pending')
WHERE a.production_id = :production_id AND a.id = :approval_id

-- name: get_version_of_approval
-- A version of the asset that an approval is about. `is_comparable`: its variant is that of the version that the
-- approval names, if it names one.
SELECT v.id, v.version, v.variant, v.archived, {{comparable_version}} AS is_comparable
FROM approvals a JOIN versions v ON v.production_id = a.production_id AND v.node_id = a.node_id AND v.id = :version_id
WHERE a.production_id = :production_id AND a.id = :approval_id

-- name: list_people_names
SELECT id, name, active FROM people WHERE production_id = :production_id ORDER BY id

-- name: decide_step
UPDATE approval_steps
SET status = :status, decided_at = :now, note = :note, decided_by_person_id = :decided_by_person_id, version_id = :version_id,
  signed_as = (SELECT name FROM people WHERE id = ifnull(:decided_by_person_id, person_id))
WHERE production_id = :production_id AND approval_id = :approval_id AND position = :position

-- name: settle_approval
-- Sets the approval's status from its steps: the status of the first step that is neither approved nor pending,
-- otherwise pending if a step is pending, otherwise approved.
UPDATE approvals SET status = coalesce(
  (SELECT status FROM approval_steps WHERE approval_id = :approval_id AND status NOT IN ('approved', 'pending')
   ORDER BY position LIMIT 1),
  iif(EXISTS (SELECT 1 FROM approval_steps WHERE approval_id = :approval_id AND status = 'pending'), 'pending', 'approved'))
WHERE production_id = :production_id AND id = :approval_id
