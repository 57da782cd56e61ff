-- The words of the script as it was last approved, by ten times the id of the scene. It keeps no copy of the text. What is stored is indexed at
-- the next commit.
CREATE VIRTUAL TABLE search_scripts USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2'
);
CREATE INDEX script_scenes_node ON script_scenes (node_id) WHERE node_id IS NOT NULL; -- the text of a scene

CREATE TRIGGER search_script_scenes_insert AFTER INSERT ON script_scenes WHEN NEW.node_id IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (NEW.node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_script_scenes_update AFTER UPDATE OF node_id, scene, approved ON script_scenes BEGIN
  INSERT INTO search_changes SELECT node_id * 10 FROM (SELECT OLD.node_id AS node_id UNION SELECT NEW.node_id) WHERE node_id IS NOT NULL ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_script_scenes_delete AFTER DELETE ON script_scenes WHEN OLD.node_id IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (OLD.node_id * 10) ON CONFLICT DO NOTHING;
END;

INSERT OR IGNORE INTO search_changes SELECT node_id * 10 FROM script_scenes WHERE node_id IS NOT NULL;
