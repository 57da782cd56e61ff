-- Versions of assets. The API creates them; admins release and archive them.

-- name: find_version
SELECT v.id, v.production_id, v.node_id, n.label, v.version, v.variant, v.released, v.archived
FROM versions v JOIN nodes n ON n.id = v.node_id
WHERE v.id = :id

-- name: release_version
UPDATE versions SET released = 1 WHERE production_id = :production_id AND id = :id

-- name: archive_version
UPDATE versions SET archived = 1 WHERE production_id = :production_id AND id = :id

-- name: list_versions
SELECT v.version AS place,
  json_object(
      'id', v.id, 'node_id', v.node_id, 'version', v.version, 'variant', v.variant, 'status', v.status, 'note', v.note,
      'created_by', v.created_by, 'created_by_person_id', v.created_by_person_id,
      'archived', iif(v.archived, json('true'), json('false')), 'created_at', v.created_at,
      'released', iif(v.released, json('true'), json('false')),
      'media', (
        SELECT jsonb_group_array({{medium_document}} ORDER BY m.id)
        FROM media m CROSS JOIN blobs blob ON blob.sha256 = m.sha256
        WHERE m.version_id = v.id)) AS document
FROM versions v
WHERE v.production_id = :production_id AND v.node_id = :node_id AND v.version > coalesce(:after, 0)
ORDER BY v.version LIMIT :limit

-- name: list_materials
-- What fed the versions of an asset: each ingredient once. No engagement calls it.
SELECT json_group_array(json_object('id', id, 'kind', kind, 'label', label, 'media_id', media_id)) FROM (
  SELECT DISTINCT i.id, i.kind, i.label, (SELECT min(m.id) FROM media m WHERE m.ingredient_id = i.id) AS media_id
  FROM versions v CROSS JOIN version_ingredients fed ON fed.version_id = v.id CROSS JOIN ingredients i ON i.id = fed.ingredient_id
  WHERE v.production_id = :production_id AND v.node_id = :node_id AND (v.released OR :with_unreleased)
  ORDER BY i.kind, i.label, i.id)

-- name: keep_version_note
-- The note of a version becomes a row of notes if it is none yet: it came with the version, from the API or a document.
INSERT INTO notes (id, production_id, node_id, version_id, text, author, created_at)
SELECT 1 + max(ifnull((SELECT max(id) FROM notes), 0), ifnull((SELECT id FROM last_ids WHERE part = 'notes'), 0)),
  v.production_id, v.node_id, v.id, v.note, coalesce(v.created_by, 'unknown'), coalesce(v.created_at, :now)
FROM versions v
WHERE v.production_id = :production_id AND v.id = :version_id AND v.note IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM notes WHERE node_id = v.node_id AND version_id = v.id AND text = v.note)

-- name: put_version_note
-- The note of a version is its newest note.
UPDATE versions SET note = :text WHERE production_id = :production_id AND id = :version_id

-- name: create_version
INSERT INTO versions (id, production_id, node_id, version, variant, status, note, created_by, created_by_person_id, archived, released, created_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM versions), 0), ifnull((SELECT id FROM last_ids WHERE part = 'versions'), 0)),
  :production_id, :node_id, :version, :variant, 'wip', :note, :created_by, :created_by_person_id, 0, 0, :now)
