-- A character is found by who plays it.
DROP VIEW searched_assets;
CREATE VIEW searched_assets (id, label, body, production_id) AS
SELECT n.id, n.label,
  concat_ws(' · ', n.kind, n.performer, (SELECT name FROM departments WHERE id = n.department_id), n.status), n.production_id
FROM nodes n WHERE n.kind <> 'scene';

DROP TRIGGER search_nodes_update;
CREATE TRIGGER search_nodes_update AFTER UPDATE OF kind, label, status, department_id, performer ON nodes
WHEN (OLD.kind, OLD.label, OLD.status, OLD.department_id, OLD.performer)
  IS NOT (NEW.kind, NEW.label, NEW.status, NEW.department_id, NEW.performer) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10) ON CONFLICT DO NOTHING;
END;

INSERT INTO search_changes SELECT id * 10 FROM nodes WHERE performer IS NOT NULL ON CONFLICT DO NOTHING;
