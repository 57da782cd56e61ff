-- What deleting a production and erasing a person need.

-- fragment: hashes_of_production
-- Of its media, and of those that its change sets keep.
SELECT sha256 FROM media WHERE production_id = :production_id
UNION SELECT kept.sha256 FROM change_sets s JOIN change_set_media kept ON kept.change_set_id = s.id WHERE s.production_id = :production_id

-- name: get_production_use
SELECT *, max(changed_at, ifnull((SELECT max(last_used_at) FROM api_keys WHERE production_id = :production_id), '')) AS last_use
FROM (
  SELECT (SELECT frozen_at FROM frozen_productions WHERE production_id = p.id) AS frozen_at,
    max(p.created_at,
      ifnull((SELECT created_at FROM activity WHERE production_id = p.id AND verb NOT IN ('production.frozen', 'production.thawed')
        ORDER BY placed_at DESC, id DESC LIMIT 1), ''),
      ifnull((SELECT received_at FROM storage_events WHERE production_id = p.id ORDER BY id DESC LIMIT 1), '')) AS changed_at,
    (SELECT ifnull(sum(size), 0) FROM blobs WHERE sha256 IN ({{hashes_of_production}})) AS media_bytes
  FROM productions p WHERE p.id = :production_id)

-- name: get_last_backup
-- The last one that was recorded, whatever the clock said.
SELECT created_at FROM audit WHERE action = 'data.backed_up' ORDER BY id DESC LIMIT 1

-- name: list_media_hashes
{{hashes_of_production}}

-- name: list_person_names
SELECT id, name FROM people WHERE production_id = :production_id ORDER BY id

-- name: erase_person
UPDATE people SET name = :name, role = 'removed', department_id = NULL, is_hod = 0, is_admin = 0, active = 0
WHERE production_id = :production_id AND id = :id

-- name: forget_answers
-- A stored answer may name anybody.
DELETE FROM idempotent_answers WHERE key_id IN (SELECT id FROM api_keys WHERE production_id = :production_id)

-- name: erase_signatures
UPDATE approval_steps SET signed_as = :name
WHERE production_id = :production_id AND ifnull(decided_by_person_id, person_id) = :id AND signed_as IS NOT NULL

-- name: erase_former_signatures
UPDATE former_steps SET signed_as = :name
WHERE production_id = :production_id AND ifnull(decided_by_person_id, person_id) = :id AND signed_as IS NOT NULL

-- name: freeze_production
INSERT INTO frozen_productions (production_id, frozen_at) VALUES (:production_id, :now) ON CONFLICT DO NOTHING

-- name: thaw_production
DELETE FROM frozen_productions WHERE production_id = :production_id

-- name: touch_all_nodes
UPDATE nodes SET updated_at = :now WHERE production_id = :production_id

-- name: touch_all_media
UPDATE media SET updated_at = :now WHERE production_id = :production_id
