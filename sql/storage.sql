-- The storage agent's wire. Order: tasks oldest first.

-- name: get_active_install
SELECT id, filespace FROM storage_installs WHERE production_id = :production_id AND active = 1

-- name: post_storage_events
-- positional, in the columns' order: naming the values of a thousand rows costs a third of the time
INSERT INTO storage_events (production_id, install_id, dedupe_key, event_type, path, source, detected_at, size, mtime_ns, received_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (install_id, dedupe_key) DO NOTHING

-- name: get_last_moved
-- when the newest of the moves that were done was settled
SELECT max(settled_at) AS settled_at FROM storage_tasks WHERE install_id = :install_id AND status = 'done'

-- name: get_move_away
-- a move, settled after :detected_at, that took the file of this path elsewhere
SELECT id FROM storage_tasks
WHERE install_id = :install_id AND src = :path AND dst <> src AND status = 'done'
  AND +settled_at > :detected_at -- the plus: a path has few moves, and an install many since a time
LIMIT 1

-- name: put_asset_file
-- What an event says of its path; older than what the row reflects, nothing. Of two events of one moment the later arrival
-- holds. Positional too.
INSERT INTO asset_files (production_id, install_id, path, state, size, mtime_ns, detected_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (install_id, path) DO UPDATE
SET state = excluded.state, detected_at = excluded.detected_at,
  size = iif(excluded.state = 'gone', size, excluded.size), mtime_ns = iif(excluded.state = 'gone', mtime_ns, excluded.mtime_ns)
WHERE excluded.detected_at >= asset_files.detected_at

-- name: get_asset_file
SELECT f.id, f.state, m.id AS media_id, m.sha256, m.created_at AS media_created_at
FROM asset_files f LEFT JOIN media m ON m.asset_file_id = f.id
WHERE f.install_id = :install_id AND f.path = :path

-- name: put_media_proxy
UPDATE media SET sha256 = :sha256, created_by = :created_by, created_at = :now
WHERE production_id = :production_id AND id = :media_id

-- name: list_storage_tasks
-- of the active filespace alone: a task says nothing of which one it is for
SELECT json_object('tasks',
  jsonb_group_array(jsonb_object('task_id', t.id, 'src', t.src, 'dst', t.dst) ORDER BY t.created_at, t.id))
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
-- the agent says that it is there
UPDATE asset_files SET path = :path, state = 'present' WHERE production_id = :production_id AND id = :id

-- name: inherit_asset_file
-- :id has the file that :from_id had, with the facts of whichever row saw it last
UPDATE asset_files
SET state = 'present', (size, mtime_ns, detected_at) = (
  SELECT f.size, f.mtime_ns, f.detected_at FROM asset_files f WHERE f.id IN (:id, :from_id)
  ORDER BY f.state = 'present' DESC, f.detected_at DESC, f.id = :id DESC LIMIT 1)
WHERE production_id = :production_id AND id = :id

-- name: delete_asset_file
DELETE FROM asset_files WHERE production_id = :production_id AND id = :id

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
