-- Order: most recently detected first.

-- fragment: script_change_row
-- Change c of production p.
jsonb_remove(
  json_object(
    'id', c.id, 'kind', c.kind, 'status', c.status, 'scene_number', c.scene_number, 'node_id', c.node_id,
    'summary', c.summary, 'revision_color', c.revision_color, 'detected_at', c.detected_at, 'decided_at', c.decided_at,
    'fields', json(c.fields),
    'draft', (
      SELECT jsonb_object('id', d.id, 'file', d.file, 'color', d.color, 'imported_at', d.imported_at)
      FROM script_drafts d WHERE d.id = c.draft_id),
    'superseded_by', c.superseded_by, 'decided_by', c.decided_by, 'note', c.note,
    'episode_id', c.episode_id, 'episode_code', (SELECT code FROM episodes WHERE id = c.episode_id)),
  iif(p.format = 'single', '$.episode_id', '$.~'), iif(p.format = 'single', '$.episode_code', '$.~'))

-- name: list_script_changes
-- On an episodic production only the changes of one episode, unless :all_episodes is set. Changes without an episode are then
-- not returned.
SELECT c.detected_at AS place, c.id AS tie, json({{script_change_row}}) AS document
FROM script_changes c JOIN productions p ON p.id = c.production_id
WHERE c.production_id = :production_id
  AND (:status = 'all' OR c.status = :status)
  AND (p.format = 'single' OR :all_episodes OR c.episode_id = ifnull(:episode_id, p.current_episode_id))
  AND (c.detected_at, c.id) < (coalesce(:after, '~'), coalesce(:after_tie, 0))
ORDER BY c.detected_at DESC, c.id DESC LIMIT :limit

-- name: get_script_change
SELECT json({{script_change_row}})
FROM script_changes c JOIN productions p ON p.id = c.production_id
WHERE c.production_id = :production_id AND c.id = +:id
