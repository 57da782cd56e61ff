-- Change sets: what changed a production, so that each can be shown and undone. Order: newest first.

-- fragment: change_set
'id', id, 'at', created_at, 'actor', actor, 'source', source, 'summary', summary,
'counts', json_object('added', added, 'changed', changed, 'removed', removed), 'undoes', undoes, 'undone_by', undone_by

-- name: add_change_set
-- `script` is not NULL if the set stored a draft, or decided its changes.
INSERT INTO change_sets (production_id, created_at, actor, source, summary, added, changed, removed, undoes, changes, script, schema_number)
VALUES (:production_id, :now, :actor, :source, :summary, :added, :changed, :removed, :undoes, :changes,
  iif(:has_script, '[]', NULL), :schema_number)

-- name: add_change_operations
INSERT INTO change_operations (set_id, place, section, thing, field, of_table, key, before, after)
SELECT :id, o.key, o.value ->> '$.section', o.value ->> '$.id', o.value ->> '$.field', o.value ->> '$.table', o.value -> '$.key',
  o.value -> '$.from', o.value -> '$.to'
FROM json_each(:operations) o

-- name: keep_media_of_operations
-- The media that operations removed.
INSERT OR IGNORE INTO change_set_media
SELECT :id, sha256 FROM blobs WHERE sha256 IN (
  SELECT before ->> '$.sha256' FROM change_operations WHERE set_id = :id AND of_table = 'media' AND before <> 'null')

-- name: list_operations
-- The operations of a set turned round, the last one first.
SELECT json_object('section', section, 'id', thing, 'field', field, 'table', of_table, 'key', json(key), 'from', json(after),
  'to', json(before)) AS document
FROM change_operations WHERE set_id = :id ORDER BY place DESC

-- name: list_later_operations
-- What sets after one that are not undone did to a thing, the last one last.
SELECT o.field, o.after AS after_text, o.set_id, s.actor FROM change_operations o JOIN change_sets s ON s.id = o.set_id
WHERE o.section = :section AND o.thing = :thing AND o.set_id > :after
  AND s.production_id = :production_id AND s.undone_by IS NULL AND ifnull(s.undoes, 0) <= :after
ORDER BY o.set_id

-- name: list_former_places
-- Where scenes stood before a set, of those that it or a later one added or gave another place. NULL: it was added.
SELECT scene, before ->> '$.script_order' AS place FROM (
  SELECT node_id AS scene, (
    SELECT o.before FROM change_operations o
    WHERE o.section = 'scenes' AND o.thing = node_id AND o.set_id >= :id AND o.of_table = 'scenes' AND o.field = ''
      AND (o.before = 'null' OR o.before ->> '$.script_order' IS NOT NULL)
    ORDER BY o.set_id LIMIT 1
  ) AS before
  FROM scenes WHERE production_id = :production_id
)
WHERE before IS NOT NULL

-- name: get_schema_number
-- The last migration when a set was recorded; NULL for one of an older version.
SELECT schema_number FROM change_sets WHERE id = :id

-- name: mark_undone
-- A set is undone by another one. What it undid stands again, what that undid is undone by it again, and so on.
WITH RECURSIVE marked (id, undone_by) AS (
  SELECT :id, :undone_by
  UNION ALL
  SELECT s.undoes, iif(marked.undone_by IS NULL, s.id, NULL)
  FROM marked JOIN change_sets s ON s.id = marked.id WHERE s.undoes IS NOT NULL
)
UPDATE change_sets SET undone_by = marked.undone_by FROM marked
WHERE change_sets.production_id = :production_id AND change_sets.id = marked.id

-- name: list_history
SELECT id AS place, json_object({{change_set}}) AS document
FROM change_sets
WHERE production_id = :production_id AND id < coalesce(:after, :before, 9e18)
ORDER BY id DESC LIMIT :limit

-- name: find_change_set
SELECT json_object('production_id', production_id, {{change_set}}) FROM change_sets WHERE id = :id

-- name: get_change_set
SELECT changes, s.script IS NOT NULL AS has_script FROM change_sets s WHERE id = :id

-- name: list_set_changes
-- The first changes of a set, as JSON; with the limit -1, all.
SELECT CASE WHEN :limit < 0 THEN changes
  ELSE (SELECT json_group_array(json(value)) FROM (SELECT value FROM json_each(changes) LIMIT :limit)) END
FROM change_sets WHERE id = :id

-- name: list_set_sections
SELECT DISTINCT c.value ->> '$.section' AS section, s.script IS NOT NULL AS has_script
FROM change_sets s, json_each(s.changes) c WHERE s.id = :id

-- name: list_later_drafts
-- The drafts of a script after one.
SELECT id, file FROM script_drafts WHERE production_id = :production_id AND episode_id IS :episode_id AND id > :after ORDER BY id

-- name: get_person_name
SELECT name FROM people WHERE id = :id

-- name: find_approval
-- An approval, with the newest version that it may be asked about. `is_of_person`: a step of it is the person's.
SELECT a.production_id, a.title, a.status, a.node_id, a.version_id, {{newest_version}} AS newest_version_id,
  EXISTS (SELECT 1 FROM approval_steps WHERE approval_id = a.id AND person_id = :person_id) AS is_of_person,
  EXISTS (SELECT 1 FROM nodes WHERE id = a.node_id AND kind <> 'scene') AS is_of_asset
FROM approvals a WHERE a.id = :id

-- name: move_approval
-- An approval is about another version of its asset. The version that it leaves keeps its status.
UPDATE approvals SET version_id = :version_id, version_status = iif(version_id IS :version_id, version_status, NULL)
WHERE production_id = :production_id AND id = :id

-- name: reopen_steps
UPDATE approval_steps SET status = 'pending', decided_at = NULL, note = NULL, decided_by_person_id = NULL, signed_as = NULL, version_id = NULL
WHERE production_id = :production_id AND approval_id = :id

-- name: list_steps_of_absent
-- The steps of people who left.
SELECT step.position, person.name AS person
FROM approval_steps step JOIN people person ON person.id = step.person_id
WHERE step.approval_id = :id AND person.active = 0
ORDER BY step.position

-- name: find_episode_code
SELECT code FROM episodes WHERE id = +:id
