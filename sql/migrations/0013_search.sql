-- Search by words. Each thing that can be found has one row, whose id is ten times that of the thing plus a digit for its kind:
-- 0 a scene or an asset, 1 a person, 2 a delivery, 3 an approval, 4 a shoot day.

CREATE VIRTUAL TABLE search USING fts5 (
  label,                  -- what the thing is called
  body,                   -- what else finds it, in the order in which an excerpt shows it
  kind UNINDEXED,
  production_id UNINDEXED,
  tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3'
);

-- The rows of search that a transaction must write again before it commits. Triggers fill it and do not write to search
-- themselves, because each statement of a trigger makes FTS5 write all that it holds in memory: 5 times the time (measured).
CREATE TABLE search_changes (id INTEGER PRIMARY KEY) STRICT;

CREATE VIEW searched_scenes (id, label, body, production_id) AS
SELECT s.node_id,
  ifnull((SELECT code FROM episodes WHERE id = s.episode_id) || '/', '') || s.number || ' ' || s.slugline,
  concat_ws(' · ', s.synopsis,
    (SELECT group_concat(value, ', ') FROM json_each(s.elements, '$.cast') WHERE type = 'text'),
    (SELECT group_concat(c.label, ', ') FROM node_links l JOIN nodes c ON c.id = l.to_node_id
     WHERE l.from_node_id = s.node_id AND c.kind = 'character'),
    iif(n.status = 'omitted', 'omitted', NULL), s.revision_color),
  n.production_id
FROM scenes s JOIN nodes n ON n.id = s.node_id;

CREATE VIEW searched_assets (id, label, body, production_id) AS
SELECT n.id, n.label, concat_ws(' · ', n.kind, (SELECT name FROM departments WHERE id = n.department_id), n.status), n.production_id
FROM nodes n WHERE n.kind <> 'scene';

CREATE VIEW searched_people (id, label, body, production_id) AS
SELECT p.id, p.name, concat_ws(' · ', p.role, (SELECT name FROM departments WHERE id = p.department_id)), p.production_id
FROM people p;

CREATE VIEW searched_deliveries (id, label, body, production_id) AS
SELECT d.id, d.title, concat_ws(' · ', d.external_to, d.status, d.due), d.production_id FROM deliveries d;

CREATE VIEW searched_approvals (id, label, body, production_id) AS
SELECT a.id, a.title, replace(a.status, '_', ' '), a.production_id FROM approvals a;

CREATE VIEW searched_shoot_days (id, label, body, production_id) AS
SELECT d.id, 'Day ' || d.day_number, concat_ws(' · ', d.date, d.general_call, d.status), d.production_id FROM shoot_days d;

CREATE TRIGGER search_nodes_insert AFTER INSERT ON nodes BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_nodes_update AFTER UPDATE OF kind, label, status, department_id ON nodes
WHEN (OLD.kind, OLD.label, OLD.status, OLD.department_id) IS NOT (NEW.kind, NEW.label, NEW.status, NEW.department_id) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_nodes_delete AFTER DELETE ON nodes BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_scenes_insert AFTER INSERT ON scenes BEGIN
  INSERT INTO search_changes VALUES (NEW.node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_scenes_update AFTER UPDATE OF episode_id, number, slugline, synopsis, elements, revision_color ON scenes
WHEN (OLD.episode_id, OLD.number, OLD.slugline, OLD.synopsis, OLD.elements, OLD.revision_color)
  IS NOT (NEW.episode_id, NEW.number, NEW.slugline, NEW.synopsis, NEW.elements, NEW.revision_color) BEGIN
  INSERT INTO search_changes VALUES (NEW.node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_scenes_delete AFTER DELETE ON scenes BEGIN
  INSERT INTO search_changes VALUES (OLD.node_id * 10) ON CONFLICT DO NOTHING;
END;

-- The cast of a scene.
CREATE TRIGGER search_links_insert AFTER INSERT ON node_links BEGIN
  INSERT INTO search_changes VALUES (NEW.from_node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_links_delete AFTER DELETE ON node_links BEGIN
  INSERT INTO search_changes VALUES (OLD.from_node_id * 10) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_characters_update AFTER UPDATE OF kind, label ON nodes
WHEN 'character' IN (OLD.kind, NEW.kind) AND (OLD.kind, OLD.label) IS NOT (NEW.kind, NEW.label) BEGIN
  INSERT INTO search_changes SELECT from_node_id * 10 FROM node_links WHERE to_node_id = NEW.id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_episodes_update AFTER UPDATE OF code ON episodes
WHEN OLD.code IS NOT NEW.code BEGIN
  INSERT INTO search_changes SELECT node_id * 10 FROM scenes WHERE episode_id = NEW.id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_people_insert AFTER INSERT ON people BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 1) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_people_update AFTER UPDATE OF name, role, department_id ON people
WHEN (OLD.name, OLD.role, OLD.department_id) IS NOT (NEW.name, NEW.role, NEW.department_id) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 1) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_people_delete AFTER DELETE ON people BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 1) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_deliveries_insert AFTER INSERT ON deliveries BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 2) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_deliveries_update AFTER UPDATE OF title, external_to, status, due ON deliveries
WHEN (OLD.title, OLD.external_to, OLD.status, OLD.due) IS NOT (NEW.title, NEW.external_to, NEW.status, NEW.due) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 2) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_deliveries_delete AFTER DELETE ON deliveries BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 2) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_approvals_insert AFTER INSERT ON approvals BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 3) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_approvals_update AFTER UPDATE OF title, status ON approvals
WHEN (OLD.title, OLD.status) IS NOT (NEW.title, NEW.status) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 3) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_approvals_delete AFTER DELETE ON approvals BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 3) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_shoot_days_insert AFTER INSERT ON shoot_days BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 4) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_shoot_days_update AFTER UPDATE OF day_number, date, general_call, status ON shoot_days
WHEN (OLD.day_number, OLD.date, OLD.general_call, OLD.status) IS NOT (NEW.day_number, NEW.date, NEW.general_call, NEW.status) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 4) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_shoot_days_delete AFTER DELETE ON shoot_days BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 4) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_departments_update AFTER UPDATE OF name ON departments
WHEN OLD.name IS NOT NEW.name BEGIN
  INSERT INTO search_changes SELECT id * 10 FROM nodes WHERE department_id = NEW.id ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 + 1 FROM people WHERE department_id = NEW.id ON CONFLICT DO NOTHING;
END;

-- What is stored already is indexed at the first commit.
INSERT INTO search_changes
SELECT id * 10 FROM nodes
UNION ALL SELECT id * 10 + 1 FROM people
UNION ALL SELECT id * 10 + 2 FROM deliveries
UNION ALL SELECT id * 10 + 3 FROM approvals
UNION ALL SELECT id * 10 + 4 FROM shoot_days;
