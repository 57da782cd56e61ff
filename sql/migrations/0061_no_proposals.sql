-- The script is the newest draft beside what was approved of it. What a pending change proposes is the difference, so that nothing is a copy of it.

ALTER TABLE script_scenes ADD COLUMN decided INTEGER; -- the last change about this version of the scene that somebody decided

-- The newest draft has what is pending.
UPDATE script_scenes
SET approved = iif(script_scenes.node_id IS NULL, NULL, ifnull(script_scenes.approved, script_scenes.scene)), scene = p.scene, place = p.place
FROM script_proposals p JOIN script_changes c ON c.id = p.change_id
WHERE p.script_scene_id = script_scenes.id AND c.status = 'pending' AND c.fields -> '$.character' IS NULL;

INSERT INTO script_scenes (id, production_id, episode_id, node_id, position, place, stands, scene)
SELECT row_number() OVER (ORDER BY p.change_id)
    + max(ifnull((SELECT max(id) FROM script_scenes), 0), ifnull((SELECT id FROM last_ids WHERE part = 'script_scenes'), 0)),
  p.production_id, d.episode_id, NULL, 0, p.place, 0, p.scene
FROM script_proposals p JOIN script_changes c ON c.id = p.change_id JOIN script_drafts d ON d.id = c.draft_id
WHERE p.script_scene_id IS NULL AND c.status = 'pending' AND c.kind = 'added';

-- It has the new names of renames that wait, but for the scenes that keep the former one.
CREATE TEMP TABLE waiting_renames AS
SELECT p.production_id, d.episode_id, upper(c.fields ->> '$.character.from') AS former, c.fields ->> '$.character.to' AS name,
  ifnull(p.scene -> '$.rename.texts', '{}') AS texts, ifnull(p.scene -> '$.rename.kept', '[]') AS kept
FROM script_proposals p JOIN script_changes c ON c.id = p.change_id JOIN script_drafts d ON d.id = c.draft_id
WHERE c.status = 'pending' AND c.fields -> '$.character' IS NOT NULL;

CREATE TEMP VIEW renamed_scenes AS
SELECT s.id, s.scene AS former, json_set(s.scene,
    '$.cast', json((
      SELECT json_group_array(ifnull((
        SELECT name FROM waiting_renames r
        WHERE r.production_id = s.production_id AND r.episode_id IS s.episode_id AND r.former = upper(one.value)
          AND NOT EXISTS (SELECT 1 FROM json_each(r.kept) WHERE value = s.node_id)), one.value) ORDER BY one.key)
      FROM json_each(s.scene, '$.cast') one)),
    '$.text', ifnull((
      SELECT json_extract(r.texts, '$."' || s.id || '"') FROM waiting_renames r
      WHERE r.production_id = s.production_id AND r.episode_id IS s.episode_id AND json_extract(r.texts, '$."' || s.id || '"') IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM json_each(r.kept) WHERE value = s.node_id)), s.scene ->> '$.text')) AS scene
FROM script_scenes s;

UPDATE script_scenes
SET approved = iif(script_scenes.node_id IS NULL, NULL, ifnull(script_scenes.approved, script_scenes.scene)),
  scene = iif(r.scene ->> '$.text' IS r.former ->> '$.text', r.scene, json_remove(r.scene, '$.shape'))
FROM renamed_scenes r
WHERE r.id = script_scenes.id AND r.scene -> '$.cast' <> r.former -> '$.cast';

DROP VIEW renamed_scenes;
DROP TABLE waiting_renames;
DROP TABLE script_proposals;
DROP INDEX script_scenes_order;
ALTER TABLE script_scenes DROP COLUMN position;
CREATE INDEX script_scenes_order ON script_scenes (production_id, place); -- the order of the newest draft
