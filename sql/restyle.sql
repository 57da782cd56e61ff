-- Look briefs and the stills that they describe.

-- name: get_look_still
-- A released version of the caller's production. sha256, size and content_type are null if it has no still.
SELECT v.node_id, v.version, (SELECT label FROM nodes WHERE id = v.node_id) AS label, blobs.sha256, blobs.size, blobs.content_type
FROM versions v
LEFT JOIN media m ON m.version_id = v.id
LEFT JOIN blobs ON blobs.sha256 = m.sha256
WHERE v.production_id = :production_id AND v.id = :version_id AND v.released = 1

-- name: get_look_brief
SELECT brief FROM look_briefs WHERE version_id = :version_id AND sha256 = :sha256

-- name: create_look_brief
-- Does nothing if another process has already stored the brief.
INSERT INTO look_briefs (version_id, sha256, brief, created_at)
VALUES (:version_id, :sha256, :brief, :now)
ON CONFLICT DO NOTHING
