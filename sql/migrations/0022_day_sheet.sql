-- Who plays a character, and what a call sheet says of a shoot day beside its scenes.

ALTER TABLE nodes ADD COLUMN cast_number TEXT CHECK (cast_number IS NULL OR kind = 'character');
ALTER TABLE nodes ADD COLUMN performer TEXT CHECK (performer IS NULL OR kind = 'character');

ALTER TABLE shoot_days ADD COLUMN location TEXT;
ALTER TABLE shoot_days ADD COLUMN notes TEXT;
ALTER TABLE shoot_days ADD COLUMN wrap TEXT CHECK (wrap IS NULL OR wrap GLOB '[0-2][0-9]:[0-5][0-9]');

-- Who is called on a day: a thing of the production, or a text that names none.
CREATE TABLE day_calls (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  node_id INTEGER,
  person_id INTEGER,
  department_id INTEGER,
  who TEXT,
  time TEXT NOT NULL,
  note TEXT,
  PRIMARY KEY (shoot_day_id, position), -- calls have the order of the document
  CHECK ((node_id IS NOT NULL) + (person_id IS NOT NULL) + (department_id IS NOT NULL) + (who IS NOT NULL) = 1),
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id),
  FOREIGN KEY (production_id, node_id) REFERENCES nodes (production_id, id),
  FOREIGN KEY (production_id, person_id) REFERENCES people (production_id, id),
  FOREIGN KEY (production_id, department_id) REFERENCES departments (production_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX day_calls_node ON day_calls (node_id); -- foreign-key checks, and the calls of a character

-- What stands between the scenes of a day: a company move, lunch.
CREATE TABLE day_banners (
  production_id INTEGER NOT NULL,
  shoot_day_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  before_node_id INTEGER, -- null: after the last scene
  text TEXT NOT NULL,
  PRIMARY KEY (shoot_day_id, position), -- banners have the order of the document
  FOREIGN KEY (production_id, shoot_day_id) REFERENCES shoot_days (production_id, id),
  FOREIGN KEY (production_id, before_node_id) REFERENCES nodes (production_id, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER count_day_calls_insert AFTER INSERT ON day_calls BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'day_calls', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_day_calls_update AFTER UPDATE ON day_calls BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'day_calls', 1), (NEW.production_id, 'day_calls', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_day_calls_delete AFTER DELETE ON day_calls BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'day_calls', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_day_banners_insert AFTER INSERT ON day_banners BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'day_banners', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_day_banners_update AFTER UPDATE ON day_banners BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'day_banners', 1), (NEW.production_id, 'day_banners', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_day_banners_delete AFTER DELETE ON day_banners BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'day_banners', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
