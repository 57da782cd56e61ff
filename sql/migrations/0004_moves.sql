-- A file has left its old path when its move was settled, so events are compared with that moment, not with the approval.

DROP INDEX storage_tasks_done;
CREATE INDEX storage_tasks_done ON storage_tasks (install_id, settled_at) WHERE status = 'done'; -- is any event older than a move

-- Documents brought paths in unchecked. One leading / is the root of the filespace; a pending move that still leads out of the
-- filespace, or names no file in it, must not reach the agent.
UPDATE storage_tasks SET src = substr(src, 2) WHERE src LIKE '/%';
UPDATE storage_tasks SET dst = substr(dst, 2) WHERE dst LIKE '/%';
UPDATE OR IGNORE asset_files SET path = substr(path, 2) WHERE path LIKE '/%';
UPDATE storage_tasks SET status = 'failed', note = 'not a path inside the filespace', settled_at = strftime('%Y-%m-%dT%H:%M:%fZ')
WHERE status = 'pending' AND EXISTS (
  SELECT 1 FROM (SELECT src AS path UNION ALL SELECT dst)
  WHERE '/' || path || '/' LIKE '%/../%' OR '/' || path || '/' LIKE '%/./%' OR '/' || path || '/' LIKE '%//%'
    OR instr(path, '\') OR path GLOB '[A-Za-z]:/*' OR path GLOB '*[' || char(1, 45, 31) || char(127, 45, 159) || ']*');
