-- Order: assets by id, versions by number.

-- fragment: asset_row
-- List row of node n, as a JSON object.
json_remove(
  json_object(
    'node_id', n.id, 'label', n.label, 'kind', n.kind, 'status', n.status,
    'department', (SELECT slug FROM departments WHERE id = n.department_id),
    'versions', (SELECT count(*) FROM versions WHERE node_id = n.id),
    'updated_at', n.updated_at, 'cast_number', n.cast_number, 'performer', n.performer, 'external_id', n.external_id),
  iif(n.cast_number IS NULL, '$.cast_number', '$.~'), iif(n.performer IS NULL, '$.performer', '$.~'),
  iif(n.external_id IS NULL, '$.external_id', '$.~'))

-- fragment: version_summary
-- Summary of the released version v, whose media row is m. One join provides both media fields, because two look-ups
-- made the scene bundle 6 % slower (measured).
json_object(
  'id', v.id, 'version', v.version, 'variant', v.variant, 'status', v.status, 'note', v.note, 'note_place', {{version_note_place}},
  'media_path', m.path, 'media_id', m.id,
  'created_by', v.created_by, 'created_by_person_id', v.created_by_person_id,
  'archived', iif(v.archived, json('true'), json('false')), 'created_at', v.created_at, 'released', json('true'))

-- fragment: released_versions
-- JSON list of the released versions of node n.
(SELECT jsonb_group_array({{version_summary}} ORDER BY v.version)
 FROM versions v LEFT JOIN media m ON m.version_id = v.id
 WHERE v.node_id = n.id AND v.released = 1)

-- fragment: version_list
-- JSON list of the versions of node n: released ones complete, others as locked stubs.
(SELECT jsonb_group_array(
   iif(v.released,
     {{version_summary}},
     json_object('id', v.id, 'version', v.version, 'variant', v.variant, 'status', v.status,
       'released', json('false'), 'locked', json('true')))
   ORDER BY v.version)
 FROM versions v LEFT JOIN media m ON m.version_id = v.id WHERE v.node_id = n.id)

-- fragment: newest_still
-- The medium of the newest released version of node n that is not archived and has one.
(SELECT jsonb_object('id', m.id, 'content_type', blob.content_type, 'sha256', m.sha256, 'size', blob.size)
 FROM versions v CROSS JOIN media m ON m.version_id = v.id CROSS JOIN blobs blob ON blob.sha256 = m.sha256
 WHERE v.node_id = n.id AND v.released = 1 AND v.archived = 0 ORDER BY v.version DESC, m.id LIMIT 1)

-- fragment: included
-- The names in the parameter include.
(SELECT value FROM json_each(:include))

-- name: list_assets
-- Only what include names is read.
SELECT n.id AS place,
  json(CASE WHEN :include IS NOT NULL THEN jsonb_remove(
    jsonb_set({{asset_row}},
      '$.versions', CASE WHEN 'versions' IN {{included}} THEN {{version_list}} ELSE (SELECT count(*) FROM versions WHERE node_id = n.id) END,
      '$.notes', CASE WHEN 'notes' IN {{included}} THEN (
        SELECT jsonb_group_array({{note_document}} ORDER BY note.placed_at DESC, note.id DESC) FROM notes note WHERE note.node_id = n.id) END,
      '$.still', CASE WHEN 'still' IN {{included}} THEN {{newest_still}} END),
    iif('notes' IN {{included}}, '$.~', '$.notes'), iif('still' IN {{included}}, '$.~', '$.still')) ELSE {{asset_row}} END) AS document
FROM nodes n
WHERE n.production_id = :production_id
  AND n.kind <> 'scene'
  AND (:department IS NULL OR n.department_id = (SELECT id FROM departments WHERE production_id = :production_id AND slug = :department))
  AND (:kind IS NULL OR n.kind = :kind)
  AND (:status IS NULL OR n.status = :status)
  AND (:released IS NOT 1 OR EXISTS (SELECT 1 FROM versions WHERE node_id = n.id AND released = 1))
  AND (:external_id IS NULL OR n.external_id = :external_id)
  AND (:updated_since IS NULL OR n.updated_at >= :updated_since)
  AND (:episode_id IS NULL OR n.id IN {{needed_by_episodes}})
  AND n.id > coalesce(:after, 0)
ORDER BY n.id LIMIT :limit

-- name: get_asset
SELECT json_replace(
  {{asset_row}},
  '$.versions', {{version_list}})
FROM nodes n
WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind <> 'scene'

-- name: get_created_asset
-- The list row of an asset, with the ids of the others of its label, if there are some.
WITH others AS MATERIALIZED (
  SELECT count(*) AS count, jsonb_group_array(other.id ORDER BY other.id) AS ids
  FROM nodes n CROSS JOIN nodes other ON other.production_id = n.production_id AND other.id <> n.id
  WHERE n.id = :node_id AND other.kind <> 'scene' AND name_key(other.label) = name_key(n.label))
SELECT json_remove(json_set({{asset_row}}, '$.same_label', others.ids), iif(others.count = 0, '$.same_label', '$.~'))
FROM nodes n CROSS JOIN others
WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind <> 'scene'

-- name: find_asset
SELECT id FROM nodes WHERE production_id = :production_id AND id = :node_id AND kind <> 'scene'

-- name: get_asset_row
SELECT {{asset_row}} FROM nodes n WHERE n.production_id = :production_id AND n.id = :node_id

-- name: find_asset_by_external_id
SELECT id, label, kind FROM nodes WHERE production_id = :production_id AND external_id = :external_id

-- name: find_assets_by_names
-- Of each text of a list the asset that has it as its external_id, and those that have it as their label.
WITH labels (id, name) AS MATERIALIZED (
  SELECT id, name_key(label) FROM nodes WHERE production_id = :production_id AND kind <> 'scene')
SELECT given.key AS at,
  (SELECT id FROM nodes WHERE production_id = :production_id AND external_id = given.value) AS named,
  (SELECT json_group_array(id) FROM labels WHERE name = name_key(given.value)) AS labelled
FROM json_each(:names) given WHERE given.value IS NOT NULL

-- name: count_assets
SELECT count(*) FROM nodes WHERE production_id = :production_id AND kind <> 'scene'

-- name: create_asset
-- The id of a removed node is never given again.
INSERT INTO nodes (id, production_id, kind, label, status, department_id, external_id, created_at, updated_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM nodes), 0), ifnull((SELECT id FROM last_ids WHERE part = 'nodes'), 0)),
  :production_id, :kind, :label, :status, :department_id, :external_id, :now, :now)

-- name: get_department_id
SELECT id FROM departments WHERE production_id = :production_id AND slug = :slug

-- name: get_asset_node
-- An asset (a node that is not a scene) and its newest version.
SELECT n.id, n.label, v.id AS version_id, v.version
FROM nodes n LEFT JOIN versions v ON v.node_id = n.id AND v.version = (SELECT max(version) FROM versions WHERE node_id = n.id)
WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind <> 'scene'

-- name: touch_node
UPDATE nodes SET updated_at = :now WHERE production_id = :production_id AND id = :node_id
