-- What a production's admin does beside the API: versions released and archived, storage installed and moved.

-- name: find_version
SELECT v.id, v.production_id, v.node_id, n.label, v.version, v.variant, v.released, v.archived
FROM versions v JOIN nodes n ON n.id = v.node_id
WHERE v.id = :id

-- name: release_version
UPDATE versions SET released = 1 WHERE id = :id

-- name: archive_version
UPDATE versions SET archived = 1 WHERE id = :id

-- name: list_installs
SELECT id, production_id, filespace, active, created_at FROM storage_installs
WHERE production_id = :production_id ORDER BY id

-- name: switch_installs_off
UPDATE storage_installs SET active = 0 WHERE production_id = :production_id AND active = 1

-- name: switch_install_on
INSERT INTO storage_installs (production_id, filespace, active, created_at) VALUES (:production_id, :filespace, 1, :now)
ON CONFLICT (production_id, filespace) DO UPDATE SET active = 1

-- name: list_moves
SELECT t.id, i.filespace, t.src, t.dst, t.status, t.note, t.src_sha256, t.created_at, t.settled_at
FROM storage_tasks t JOIN storage_installs i ON i.id = t.install_id
WHERE t.production_id = :production_id ORDER BY t.id

-- name: find_pending_move
SELECT id FROM storage_tasks WHERE install_id = :install_id AND src = :src AND status = 'pending'

-- name: create_move
INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at)
VALUES (:production_id, :install_id, :src, :dst, 'pending', :now)

-- name: find_demo_vendor
-- an active engagement that can hand in work and reads a scene by a grant on it
SELECT e.production_id, e.id AS engagement_id, v.name AS vendor, n.id AS node_id
FROM engagements e
JOIN vendors v ON v.id = e.vendor_id
JOIN grants handing ON handing.engagement_id = e.id AND handing.verb = 'submit'
  AND handing.revoked_at IS NULL AND (handing.expires_at IS NULL OR handing.expires_at > :now)
JOIN grants reading ON reading.engagement_id = e.id AND reading.verb = 'read'
  AND reading.revoked_at IS NULL AND (reading.expires_at IS NULL OR reading.expires_at > :now)
JOIN nodes n ON n.id = reading.node_id AND n.kind = 'scene'
WHERE {{engagement_is_active}}
ORDER BY e.production_id, e.id, reading.id LIMIT 1
