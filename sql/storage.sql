-- Statements for the storage agent. Order: tasks oldest first.

-- name: get_active_install
SELECT id, filespace FROM storage_installs WHERE production_id = :production_id AND active = 1

-- name: post_storage_events
-- Positional parameters in the order of the columns: with a thousand rows, binding by name would take a third of the
-- time.
INSERT INTO storage_events (id, production_id, install_id, received_at, dedupe_key, event_type, path, source, detected_at, size, mtime_ns)
VALUES (?, :production_id, :install_id, :now, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (install_id, dedupe_key) DO NOTHING

-- name: get_last_storage_event
SELECT ifnull(max(id), 0) AS id, ifnull((SELECT id FROM last_ids WHERE part = 'storage_events'), 0) AS removed FROM storage_events

-- name: get_last_asset_file
SELECT ifnull(max(id), 0) AS id, ifnull((SELECT id FROM last_ids WHERE part = 'asset_files'), 0) AS removed FROM asset_files

-- name: put_asset_files
-- Updates the files at the paths of the events after :after, in the order of the events. An event that is older than
-- the row changes nothing; of two events with the same detected_at, the later arrival wins. An event that was detected
-- before the file was moved away from its path changes nothing, because it would restore the old path. Times may have
-- more digits than three, so they are compared without the Z. :first_id is null, so that SQLite counts on, unless a row
-- with a higher id was removed.
INSERT INTO asset_files (id, production_id, install_id, path, state, size, mtime_ns, detected_at)
SELECT :first_id + e.id - :after - 1, e.production_id, e.install_id, e.path, iif(e.event_type = 'delete', 'gone', 'present'),
  e.size, e.mtime_ns, e.detected_at
FROM storage_events e
WHERE e.id > :after AND +e.install_id = :install_id -- the plus makes SQLite search by id
  AND (rtrim(e.detected_at, 'Z') >= rtrim((
      SELECT ifnull(max(settled_at), '') FROM storage_tasks WHERE install_id = :install_id AND status = 'done'), 'Z')
    OR NOT EXISTS (
      SELECT 1 FROM storage_tasks t WHERE t.install_id = e.install_id AND t.src = e.path AND t.dst <> t.src AND t.status = 'done'
      AND rtrim(t.settled_at, 'Z') > rtrim(e.detected_at, 'Z')))
ORDER BY e.id
ON CONFLICT (install_id, path) DO UPDATE
SET state = excluded.state, detected_at = excluded.detected_at,
  size = iif(excluded.state = 'gone', size, excluded.size), mtime_ns = iif(excluded.state = 'gone', mtime_ns, excluded.mtime_ns)
WHERE rtrim(excluded.detected_at, 'Z') >= rtrim(asset_files.detected_at, 'Z')

-- name: get_asset_file
SELECT f.id, f.state, m.id AS media_id, m.sha256, m.created_at AS media_created_at
FROM asset_files f LEFT JOIN media m ON m.asset_file_id = f.id
WHERE f.install_id = :install_id AND f.path = :path

-- name: put_media_proxy
UPDATE media SET sha256 = :sha256, created_by = :created_by, created_at = :now, updated_at = :now
WHERE production_id = :production_id AND id = :media_id

-- name: list_storage_tasks
-- Only tasks of the active filespace, because a task in the response does not name its filespace.
SELECT json_object('tasks',
  jsonb_group_array(json_object('task_id', t.id, 'src', t.src, 'dst', t.dst) ORDER BY t.created_at, t.id))
FROM storage_tasks t JOIN storage_installs i ON i.id = t.install_id
WHERE t.production_id = :production_id AND t.status = 'pending' AND i.active = 1

-- name: get_storage_task
SELECT id, install_id, src, dst, status FROM storage_tasks WHERE production_id = :production_id AND id = :task_id

-- name: fingerprint_storage_task
UPDATE storage_tasks SET src_sha256 = :src_sha256 WHERE production_id = :production_id AND id = :task_id

-- name: acknowledge_storage_task
UPDATE storage_tasks SET status = :status, note = :note, settled_at = :now
WHERE production_id = :production_id AND id = :task_id

-- name: move_asset_file
-- Sets the state, because the agent has confirmed that the file is at its destination.
UPDATE asset_files SET path = :path, state = 'present' WHERE production_id = :production_id AND id = :id

-- name: inherit_asset_file
-- File row :id takes over the file of row :from_id, with the facts of the row that was updated last.
UPDATE asset_files
SET state = 'present', (size, mtime_ns, detected_at) = (
  SELECT f.size, f.mtime_ns, f.detected_at FROM asset_files f WHERE f.id IN (:id, :from_id)
  ORDER BY f.state = 'present' DESC, rtrim(f.detected_at, 'Z') DESC, f.id = :id DESC LIMIT 1)
WHERE production_id = :production_id AND id = :id

-- name: delete_asset_file
DELETE FROM asset_files WHERE production_id = :production_id AND id = :id
