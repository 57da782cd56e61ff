-- Scenes that are shot in parts: which part of a scene a day has, and how long it is.
CREATE TABLE day_parts (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  scene_node_id INTEGER NOT NULL,
  text TEXT NOT NULL, -- such as pt 2
  pages TEXT, -- such as 1 3/8
  PRIMARY KEY (shoot_day_id, position), -- parts have the order of the document
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id),
  FOREIGN KEY (production_id, scene_node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER refuse_frozen_day_parts_insert AFTER INSERT ON day_parts WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_parts_update AFTER UPDATE ON day_parts WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_parts_delete AFTER DELETE ON day_parts WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
