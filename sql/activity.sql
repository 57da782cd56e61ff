-- Order: newest first.

-- name: list_activity
SELECT json_group_array(
  json_object(
    'id', id, 'verb', verb, 'summary', summary, 'actor', actor, 'actor_person_id', actor_person_id,
    'node_id', node_id, 'created_at', created_at)
  ORDER BY created_at DESC, id DESC)
FROM (SELECT * FROM activity WHERE production_id = :production_id ORDER BY created_at DESC, id DESC LIMIT :limit)

-- name: create_activity
INSERT INTO activity (production_id, verb, summary, actor, actor_person_id, node_id, created_at)
VALUES (:production_id, :verb, :summary, :actor, :actor_person_id, :node_id, :created_at)
