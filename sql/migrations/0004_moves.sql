-- A file has left its old path when its move was settled, so events are compared with that moment, not with the approval.

DROP INDEX storage_tasks_done;
CREATE INDEX storage_tasks_done ON storage_tasks (install_id, settled_at) WHERE status = 'done'; -- is any event older than a move
