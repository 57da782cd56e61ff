-- Versions of assets. The API creates them; admins release and archive them.

-- name: find_version
SELECT v.id, v.production_id, v.node_id, n.label, v.version, v.variant, v.released, v.archived
FROM versions v JOIN nodes n ON n.id = v.node_id
WHERE v.id = :id

-- name: release_version
UPDATE versions SET released = 1 WHERE production_id = :production_id AND id = :id

-- name: archive_version
UPDATE versions SET archived = 1 WHERE production_id = :production_id AND id = :id

-- name: put_version_note
-- The note of a version is its newest note.
UPDATE versions SET note = :text WHERE production_id = :production_id AND id = :version_id

-- name: create_version
INSERT INTO versions (production_id, node_id, version, variant, status, note, created_by, created_by_person_id, archived, released, created_at)
VALUES (:production_id, :node_id, :version, :variant, 'wip', :note, :created_by, :created_by_person_id, 0, 0, :now)
