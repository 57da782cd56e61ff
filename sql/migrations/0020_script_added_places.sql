-- A pending addition names the scene after which its draft has it, so that the same draft does not ask again.
UPDATE script_changes SET fields = json_set(fields, '$.order', json_object('from', NULL, 'to', (
  SELECT number FROM (
    SELECT other.place AS place, 1 AS proposed, other.scene ->> 'number' AS number
    FROM script_proposals other
      JOIN script_changes change ON change.id = other.change_id
    WHERE other.production_id = script_changes.production_id AND change.episode_id IS script_changes.episode_id
    UNION ALL
    SELECT place, 0, scene ->> 'number' FROM script_scenes
    WHERE production_id = script_changes.production_id AND episode_id IS script_changes.episode_id
  )
  WHERE place < (SELECT place FROM script_proposals WHERE change_id = script_changes.id)
  ORDER BY place DESC, proposed DESC LIMIT 1
)))
WHERE kind = 'added' AND status = 'pending' AND draft_id IS NOT NULL AND json_type(fields, '$.order') IS NULL;
