-- A shoot day is one of a unit, and its number counts within that: '' is the main unit, because SQLite takes two NULLs as different. The table is
-- made anew, because a constraint cannot change. Foreign keys are off during migrations, and the rows that refer to days keep their ids.
DROP VIEW searched_shoot_days;
CREATE TABLE former_shoot_days AS SELECT * FROM shoot_days;
DROP TABLE shoot_days;
CREATE TABLE shoot_days (
  id INTEGER PRIMARY KEY,
  production_id INTEGER NOT NULL REFERENCES productions (id),
  day_number INTEGER NOT NULL,
  unit TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
  date TEXT NOT NULL,
  general_call TEXT,
  status TEXT NOT NULL,
  location TEXT,
  notes TEXT,
  wrap TEXT CHECK (wrap IS NULL OR wrap GLOB '[0-2][0-9]:[0-5][0-9]'),
  UNIQUE (production_id, id),              -- the target of composite references
  UNIQUE (production_id, day_number, unit) -- a number means one day of a unit; also the order of the schedule
) STRICT;
INSERT INTO shoot_days (id, production_id, day_number, date, general_call, status, location, notes, wrap)
SELECT id, production_id, day_number, date, general_call, status, location, notes, wrap FROM former_shoot_days ORDER BY id;
DROP TABLE former_shoot_days;

CREATE TRIGGER keep_last_id_shoot_days AFTER DELETE ON shoot_days WHEN NOT EXISTS (SELECT 1 FROM shoot_days WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('shoot_days', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER refuse_frozen_shoot_days_insert AFTER INSERT ON shoot_days WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_shoot_days_update AFTER UPDATE ON shoot_days WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_shoot_days_delete AFTER DELETE ON shoot_days WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER search_shoot_days_insert AFTER INSERT ON shoot_days BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 4) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_shoot_days_update AFTER UPDATE OF day_number, unit, date, general_call, status ON shoot_days
WHEN (OLD.day_number, OLD.unit, OLD.date, OLD.general_call, OLD.status) IS NOT (NEW.day_number, NEW.unit, NEW.date, NEW.general_call, NEW.status) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 4) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_shoot_days_delete AFTER DELETE ON shoot_days BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 4) ON CONFLICT DO NOTHING;
END;
CREATE VIEW searched_shoot_days (id, label, body, production_id) AS
SELECT d.id, iif(d.unit = '', 'Day', d.unit) || ' ' || d.day_number, concat_ws(' · ', d.date, d.general_call, d.status), d.production_id
FROM shoot_days d;
