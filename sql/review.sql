-- Answers to submitted work, newest first, and taking the last decision of an approval back.

-- name: list_all_submissions
-- The pages are ranges of the index submissions_of_production.
SELECT w.placed_at AS place, w.id AS tie,
  {{vendor_submission}} AS document
FROM submissions w
WHERE w.production_id = :production_id AND (w.placed_at, w.id) < (coalesce(:after, '~'), coalesce(:after_tie, 0))
  AND (:delivery_id IS NULL OR +w.delivery_id IN (SELECT value FROM json_each(:delivery_id)))
  AND (:status IS NULL OR w.status IN (SELECT value FROM json_each(:status)))
ORDER BY w.placed_at DESC, w.id DESC LIMIT :limit

-- name: get_vendor_submission
-- A submission as the list of its delivery shows it.
SELECT {{vendor_submission}} FROM submissions w
WHERE w.production_id = :production_id AND w.id = :id

-- name: decide_submission
UPDATE submissions SET status = :status, decision_note = :note, decided_at = :now,
  decided_by = (SELECT name FROM people WHERE production_id = :production_id AND id = :person_id)
WHERE production_id = :production_id AND id = :id

-- name: keep_round
-- The steps as they are become a former round.
INSERT INTO former_steps (
  production_id, approval_id, round, position, person_id, status, decided_at, note, decided_by_person_id, signed_as, version_id)
SELECT
  production_id, approval_id, :round, position, person_id, status, decided_at, note, decided_by_person_id, signed_as, version_id
FROM approval_steps WHERE production_id = :production_id AND approval_id = :id

-- name: count_rounds
SELECT ifnull(max(round), 0) FROM former_steps WHERE approval_id = :id

-- name: get_last_decision
-- An approval and its last decided step. The step's columns are null if no step is decided. `is_released`: a version
-- that the approval is about, or one of the asset that it gates, was released since.
SELECT a.production_id, a.title, a.node_id, a.delivery_id, a.version_id, step.position, step.decided_by_person_id,
  iif(step.decided_by_person_id IS NULL, NULL, step.signed_as) AS decided_by,
  EXISTS (
    SELECT 1 FROM audit release
    WHERE release.production_id = a.production_id AND release.action = 'version.released' AND release.created_at >= step.decided_at
      AND json_extract(release.detail, '$.id') IN (
        SELECT id FROM versions WHERE iif(a.version_id IS NULL, node_id = a.node_id, id = a.version_id))) AS is_released
FROM approvals a LEFT JOIN approval_steps step ON step.approval_id = a.id AND step.position =
  (SELECT max(position) FROM approval_steps WHERE approval_id = a.id AND status <> 'pending')
WHERE a.id = :approval_id

-- name: has_decided_step
-- Whether a person decided a step of an approval.
SELECT EXISTS (SELECT 1 FROM approval_steps WHERE approval_id = :approval_id AND decided_by_person_id = :person_id)

-- name: take_back_step
UPDATE approval_steps SET status = 'pending', decided_at = NULL, note = NULL, decided_by_person_id = NULL, signed_as = NULL, version_id = NULL
WHERE production_id = :production_id AND approval_id = :approval_id AND position = :position
