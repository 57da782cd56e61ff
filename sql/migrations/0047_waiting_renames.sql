-- While the rename of a character waits for a decision, the script has the former name in its casts.
UPDATE script_scenes
SET scene = json_set(scene, '$.cast', json((
  SELECT json_group_array(ifnull((
    SELECT c.fields ->> '$.character.from' FROM script_changes c JOIN script_drafts d ON d.id = c.draft_id
    WHERE c.production_id = script_scenes.production_id AND d.episode_id IS script_scenes.episode_id AND c.status = 'pending'
      AND upper(c.fields ->> '$.character.to') = upper(name.value)), name.value) ORDER BY name.key)
  FROM json_each(script_scenes.scene, '$.cast') name)))
WHERE EXISTS (
  SELECT 1 FROM script_changes c JOIN script_drafts d ON d.id = c.draft_id
  WHERE c.production_id = script_scenes.production_id AND d.episode_id IS script_scenes.episode_id AND c.status = 'pending'
    AND c.fields -> '$.character' IS NOT NULL);
