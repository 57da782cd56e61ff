-- Order: newest first.

-- name: list_jobs
SELECT json_group_array(
  json_object(
    'id', id, 'kind', kind, 'status', status, 'summary', summary, 'model', model, 'node_id', node_id,
    'created_by', created_by, 'created_at', created_at, 'finished_at', finished_at)
  ORDER BY created_at DESC, id DESC)
FROM (SELECT * FROM jobs WHERE production_id = :production_id ORDER BY created_at DESC, id DESC LIMIT :limit)
