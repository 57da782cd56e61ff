-- Order: newest first.

-- name: list_activity
-- The page before an entry, or the newest if :before is null. No row if the production has no entry of that id. The page is one
-- range of the index activity_newest.
SELECT (
  SELECT json_group_array(
    jsonb_remove(
      json_object(
        'id', id, 'verb', verb, 'summary', summary, 'actor', actor, 'actor_person_id', actor_person_id,
        'node_id', node_id, 'delivery_id', delivery_id, 'work_item_id', work_item_id, 'created_at', created_at),
      iif(delivery_id IS NULL, '$.delivery_id', '$.~'), iif(work_item_id IS NULL, '$.work_item_id', '$.~'))
    ORDER BY created_at DESC, id DESC)
  FROM (
    SELECT * FROM activity
    WHERE production_id = :production_id AND (created_at, id) < (bound.created_at, bound.id)
    ORDER BY created_at DESC, id DESC LIMIT :limit))
FROM (
  SELECT created_at, id FROM activity WHERE production_id = :production_id AND id = :before
  UNION ALL SELECT '~', 0 WHERE :before IS NULL) bound

-- name: create_activity
INSERT INTO activity (production_id, verb, summary, actor, actor_person_id, node_id, delivery_id, work_item_id, created_at)
VALUES (:production_id, :verb, :summary, :actor, :actor_person_id, :node_id, :delivery_id, :work_item_id, :created_at)
