-- What is pending is what differs between the approved script and its newest draft, less what somebody dismissed: 1, what differs in a scene; 2, its
-- place; 3, both. Of renames of characters, the newest draft has those that were dismissed.

ALTER TABLE script_scenes ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE script_drafts ADD COLUMN dismissed TEXT NOT NULL DEFAULT '[]' CHECK (json_type(dismissed) = 'array');

CREATE TEMP TABLE waiting_scenes AS
SELECT c.node_id, c.production_id, d.episode_id, c.scene_number
FROM script_changes c JOIN script_drafts d ON d.id = c.draft_id
WHERE c.status = 'pending' AND c.fields -> '$.character' IS NULL;
CREATE INDEX temp.waiting_nodes ON waiting_scenes (node_id);

UPDATE script_scenes
SET dismissed = iif(node_id IS NULL OR approved IS NOT NULL, 1, 0)
  + iif(node_id IS NULL OR (place IS NOT NULL AND stands = 0 AND NOT scene ->> '$.omitted'), 2, 0)
WHERE (approved IS NOT NULL OR node_id IS NULL OR (place IS NOT NULL AND stands = 0 AND NOT scene ->> '$.omitted'))
  AND CASE WHEN node_id IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM waiting_scenes w WHERE w.node_id = script_scenes.node_id)
    ELSE NOT EXISTS (
      SELECT 1 FROM waiting_scenes w
      WHERE w.node_id IS NULL AND w.production_id = script_scenes.production_id AND w.episode_id IS script_scenes.episode_id
        AND w.scene_number = script_scenes.scene ->> '$.number') END;
DROP TABLE waiting_scenes;
-- Where a rename waits, the names alone may differ.
UPDATE script_scenes SET dismissed = 0
WHERE dismissed = 1 AND EXISTS (
  SELECT 1 FROM script_changes c JOIN script_drafts d ON d.id = c.draft_id
  WHERE c.production_id = script_scenes.production_id AND d.episode_id IS script_scenes.episode_id AND c.status = 'pending'
    AND c.fields -> '$.character' IS NOT NULL
    AND EXISTS (SELECT 1 FROM json_each(approved, '$.cast') WHERE upper(value) = upper(c.fields ->> '$.character.from')));

-- A rename that was dismissed is asked again only by a draft after one that does not have it.
UPDATE script_drafts
SET dismissed = (
  SELECT json_group_array(json_object('from', c.fields ->> '$.character.from', 'to', c.fields ->> '$.character.to'))
  FROM script_changes c JOIN script_drafts d ON d.id = c.draft_id
  WHERE c.production_id = script_drafts.production_id AND d.episode_id IS script_drafts.episode_id AND c.status = 'dismissed'
    AND c.superseded_by IS NULL AND c.fields -> '$.character' IS NOT NULL)
WHERE NOT EXISTS (
  SELECT 1 FROM script_drafts later
  WHERE later.production_id = script_drafts.production_id AND later.episode_id IS script_drafts.episode_id AND later.id > script_drafts.id);

ALTER TABLE script_scenes DROP COLUMN stands;
ALTER TABLE script_scenes DROP COLUMN decided;
