-- Change sets: what changed a production, so that each can be shown and undone. Order: newest first.

-- fragment: change_set
id, created_at AS at, actor, source, summary, added, changed, removed, undoes, undone_by

-- name: add_change_set
INSERT INTO change_sets (production_id, created_at, actor, source, summary, added, changed, removed, undoes, changes, inverse)
VALUES (:production_id, :now, :actor, :source, :summary, :added, :changed, :removed, :undoes, :changes, :inverse)

-- name: mark_undone
UPDATE change_sets SET undone_by = :undone_by WHERE production_id = :production_id AND id = :id

-- name: list_change_sets
SELECT {{change_set}} FROM change_sets
WHERE production_id = :production_id AND (:before IS NULL OR id < :before)
ORDER BY id DESC LIMIT :limit

-- name: get_change_set
SELECT production_id, {{change_set}}, changes, inverse FROM change_sets WHERE id = :id

-- name: list_later_changes
-- The sets after one that touched a thing, oldest first.
SELECT DISTINCT s.id, s.actor, s.created_at AS at, json_extract(c.value, '$.fields') AS fields
FROM change_sets s, json_each(s.changes) c
WHERE s.production_id = :production_id AND s.id > :after
  AND c.value ->> '$.section' = :section AND c.value ->> '$.id' = :id
ORDER BY s.id

-- name: find_later_script
-- The last set after one that touched a row of the stored script.
SELECT s.id, s.actor FROM change_sets s, json_each(s.inverse, '$.script') e
WHERE s.production_id = :production_id AND s.id > :after
  AND e.value ->> '$.table' = :part AND e.value ->> '$.id' = :id
ORDER BY s.id DESC LIMIT 1

-- name: delete_old_change_sets
DELETE FROM change_sets WHERE created_at < :before
