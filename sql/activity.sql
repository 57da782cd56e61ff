-- Order: newest first.

-- name: list_activity
-- The page is one range of the index activity_newest.
SELECT placed_at AS place, id AS tie,
  json_remove(
    json_object(
      'id', id, 'verb', verb, 'summary', summary, 'actor', actor, 'actor_person_id', actor_person_id,
      'node_id', node_id, 'delivery_id', delivery_id, 'work_item_id', work_item_id, 'submission_id', work_item_id, 'created_at', created_at),
    iif(delivery_id IS NULL, '$.delivery_id', '$.~'), iif(work_item_id IS NULL, '$.work_item_id', '$.~'),
    iif(work_item_id IS NULL, '$.submission_id', '$.~')) AS document
FROM activity
WHERE production_id = :production_id AND (placed_at, id) < (coalesce(:after, :from, '~'), coalesce(:after_tie, :before, 0))
  AND placed_at >= coalesce(:since, '') AND created_at >= coalesce(:since, '') AND created_at < coalesce(:until, '~') AND (:verb IS NULL OR verb = :verb OR verb IN (SELECT value FROM json_each(:verbs)))
  AND (:node_id IS NULL OR node_id = :node_id)
  AND (:episode_id IS NULL OR node_id IN {{scenes_of_episodes}} OR node_id IN {{needed_by_episodes}}
    OR (node_id IS NULL AND {{names_episode}}))
ORDER BY placed_at DESC, id DESC LIMIT :limit

-- fragment: names_episode
-- Whether the summary names a scene of one of the episodes, such as 101/4.
EXISTS (
  SELECT 1 FROM episodes e
  WHERE e.production_id = :production_id AND e.id IN (SELECT value FROM json_each(:episode_id))
    AND instr(' ' || summary, ' ' || e.code || '/') > 0)

-- name: get_activity_place
SELECT placed_at AS place FROM activity WHERE production_id = :production_id AND id = :before

-- name: has_activity_verb
SELECT EXISTS (SELECT 1 FROM activity WHERE production_id = :production_id AND verb = :verb)

-- name: create_activity
INSERT INTO activity (id, production_id, verb, summary, actor, actor_person_id, node_id, delivery_id, work_item_id, created_at, later_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM activity), 0), ifnull((SELECT id FROM last_ids WHERE part = 'activity'), 0)),
  :production_id, :verb, :summary, :actor, :actor_person_id, :node_id, :delivery_id, :work_item_id, :created_at,
  (SELECT nullif(max(placed_at, :created_at), :created_at) FROM activity WHERE production_id = :production_id ORDER BY placed_at DESC LIMIT 1))
