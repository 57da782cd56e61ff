-- The text of a scene's script is indexed again only if it changed. In search_changes, ten times the id of the scene plus 8 stands for it.

DROP TRIGGER search_script_scenes_insert;
CREATE TRIGGER search_script_scenes_insert AFTER INSERT ON script_scenes WHEN NEW.node_id IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (NEW.node_id * 10 + 8) ON CONFLICT DO NOTHING;
END;
DROP TRIGGER search_script_scenes_update;
CREATE TRIGGER search_script_scenes_update AFTER UPDATE OF node_id, scene, approved ON script_scenes
WHEN OLD.node_id IS NOT NEW.node_id OR ifnull(OLD.approved, OLD.scene) ->> '$.text' IS NOT ifnull(NEW.approved, NEW.scene) ->> '$.text' BEGIN
  INSERT INTO search_changes SELECT node_id * 10 + 8 FROM (SELECT OLD.node_id AS node_id UNION SELECT NEW.node_id) WHERE node_id IS NOT NULL ON CONFLICT DO NOTHING;
END;
DROP TRIGGER search_script_scenes_delete;
CREATE TRIGGER search_script_scenes_delete AFTER DELETE ON script_scenes WHEN OLD.node_id IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (OLD.node_id * 10 + 8) ON CONFLICT DO NOTHING;
END;

-- Until now, the id of the scene alone stood for the text, too: for what earlier migrations of the same start listed.
INSERT INTO search_changes SELECT DISTINCT node_id * 10 + 8 FROM script_scenes WHERE node_id * 10 IN (SELECT id FROM search_changes);
