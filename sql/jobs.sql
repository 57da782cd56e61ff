-- Order: newest first.

-- name: list_jobs
SELECT created_at AS place, id AS tie,
  json_object(
    'id', id, 'kind', kind, 'status', status, 'summary', summary, 'model', model, 'node_id', node_id,
    'created_by', created_by, 'created_at', created_at, 'finished_at', finished_at) AS document
FROM jobs
WHERE production_id = :production_id AND (created_at, id) < (coalesce(:after, '~'), coalesce(:after_tie, 0))
ORDER BY created_at DESC, id DESC LIMIT :limit
