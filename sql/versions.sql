-- Versions of assets. The API creates them.

-- fragment: version_author
-- Who made version v: the person of the key, otherwise its label.
ifnull((SELECT name FROM people WHERE id = v.created_by_person_id), v.created_by)

-- name: list_versions
SELECT v.version AS place,
  json_remove(json_object(
      'id', v.id, 'node_id', v.node_id, 'version', v.version, 'variant', v.variant, 'status', v.status, 'note', v.note, 'note_place', {{version_note_place}},
      'created_by', v.created_by, 'created_by_person_id', v.created_by_person_id,
      'archived', iif(v.archived, json('true'), json('false')), 'created_at', v.created_at,
      'released', iif(v.released, json('true'), json('false')), 'external_id', v.external_id,
      'media', (
        SELECT jsonb_group_array({{medium_document}} ORDER BY m.id)
        FROM media m CROSS JOIN blobs blob ON blob.sha256 = m.sha256
        WHERE m.version_id = v.id)),
    iif(v.external_id IS NULL, '$.external_id', '$.~')) AS document
FROM versions v
WHERE v.production_id = :production_id AND v.node_id = :node_id AND v.version > coalesce(:after, 0)
  AND (:external_id IS NULL OR v.external_id = :external_id)
ORDER BY v.version LIMIT :limit

-- name: keep_version_note
-- The note of a version becomes a row of notes if it is none yet: it came with the version, from the API or a document.
-- Its author is the person whose key made the version, if there is one.
INSERT INTO notes (id, production_id, node_id, version_id, text, author, created_at)
SELECT 1 + max(ifnull((SELECT max(id) FROM notes), 0), ifnull((SELECT id FROM last_ids WHERE part = 'notes'), 0)),
  v.production_id, v.node_id, v.id, v.note, coalesce({{version_author}}, 'unknown'), coalesce(v.created_at, :now)
FROM versions v
WHERE v.production_id = :production_id AND v.id = :version_id AND v.note IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM notes WHERE node_id = v.node_id AND version_id = v.id AND text = v.note)

-- name: create_version
INSERT INTO versions (id, production_id, node_id, version, variant, status, note, created_by, created_by_person_id, archived, released, external_id, created_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM versions), 0), ifnull((SELECT id FROM last_ids WHERE part = 'versions'), 0)),
  :production_id, :node_id, :version, :variant, 'wip', :note, :created_by, :created_by_person_id, 0, 0, :external_id, :now)

-- name: get_landed_version
SELECT json_remove(json_object(
  'id', id, 'node_id', node_id, 'version', version, 'variant', variant, 'status', status, 'note', note, 'created_at', created_at,
  'released', iif(released, json('true'), json('false')), 'external_id', external_id),
  iif(external_id IS NULL, '$.external_id', '$.~'))
FROM versions WHERE production_id = :production_id AND id = :version_id

-- name: find_version_by_external_id
SELECT v.id, v.node_id, v.variant, (SELECT sha256 FROM media WHERE version_id = v.id) AS sha256
FROM versions v WHERE v.production_id = :production_id AND v.external_id = :external_id

-- name: find_version_id
SELECT id FROM versions WHERE node_id = :node_id AND version = :version

-- name: get_approved_version
-- The version that an approval is about.
SELECT v.node_id, v.status FROM approvals a JOIN versions v ON v.id = a.version_id
WHERE a.production_id = :production_id AND a.id = :approval_id

-- name: keep_version_status
-- Keeps the status that the version had before any approval about it was decided; forgets it if this one is pending
-- again.
UPDATE approvals SET version_status = iif(status = 'pending', NULL, coalesce(version_status,
  (SELECT version_status FROM approvals other
   WHERE other.version_id = approvals.version_id AND other.version_status IS NOT NULL ORDER BY other.id LIMIT 1),
  (SELECT status FROM versions WHERE id = approvals.version_id)))
WHERE production_id = :production_id AND id = :approval_id AND version_id IS NOT NULL

-- name: settle_version_status
-- Sets the status of the version that an approval is about by the approval about it that was decided last; without one,
-- the status that it had before.
UPDATE versions SET status = coalesce(
  (SELECT iif(a.status = 'approved', 'approved', 'changes') FROM approvals a
   WHERE a.version_id = versions.id AND a.status <> 'pending' AND a.version_status IS NOT NULL
   ORDER BY (SELECT max(decided_at) FROM approval_steps WHERE approval_id = a.id) DESC, a.id DESC LIMIT 1),
  (SELECT version_status FROM approvals WHERE id = :approval_id),
  status)
WHERE production_id = :production_id AND id = (SELECT version_id FROM approvals WHERE id = :approval_id)
