-- What a call sheet says beside scenes and calls, the times of a call before it, and call sheets as they were issued.

ALTER TABLE day_calls ADD COLUMN pickup TEXT;
ALTER TABLE day_calls ADD COLUMN makeup TEXT;
ALTER TABLE day_calls ADD COLUMN costume TEXT;
ALTER TABLE day_calls ADD COLUMN on_set TEXT;

-- Labelled texts of a day, such as Base, Hospital or Weather.
CREATE TABLE day_lines (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  label TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (shoot_day_id, position), -- lines have the order of the document
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id)
) STRICT, WITHOUT ROWID;

-- The bundle of a day as it was issued. It refers to no row of shoot_days, so that it is there again when a removed day comes back.
CREATE TABLE day_issues (
  production_id INTEGER NOT NULL REFERENCES productions (id),
  shoot_day_id INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0), -- counted from 1 for each day
  issued_at TEXT NOT NULL,
  issued_by TEXT, -- the name of the person of the key; NULL for a key of nobody
  bundle TEXT NOT NULL, -- JSON
  PRIMARY KEY (shoot_day_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX day_issues_production ON day_issues (production_id); -- foreign-key checks
CREATE INDEX day_issues_age ON day_issues (issued_at); -- trimming by age

CREATE TRIGGER refuse_frozen_day_lines_insert AFTER INSERT ON day_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_lines_update AFTER UPDATE ON day_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id)) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_lines_delete AFTER DELETE ON day_lines WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = OLD.production_id) BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
CREATE TRIGGER refuse_frozen_day_issues BEFORE INSERT ON day_issues
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id) BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;

-- Issues take the place of what was kept of printed sheets.
DELETE FROM page_marks WHERE name LIKE 'call sheet %';
