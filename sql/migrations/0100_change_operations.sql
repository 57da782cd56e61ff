-- What a change set did to rows: its undo is the same operations turned round. Sets of older versions have none, and no number of the schema.
CREATE TABLE change_operations (
  set_id INTEGER NOT NULL REFERENCES change_sets (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,       -- in the order in which they were listed
  section TEXT NOT NULL,
  thing INTEGER NOT NULL,
  field TEXT NOT NULL,          -- the list of the thing to which the row belongs; empty for its own row
  of_table TEXT NOT NULL,
  key TEXT NOT NULL CHECK (json_type(key) = 'object'),
  before TEXT NOT NULL CHECK (json_valid(before)), -- cells, a row, the rows of a list, or null
  after TEXT NOT NULL CHECK (json_valid(after)),
  PRIMARY KEY (set_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_operations_thing ON change_operations (section, thing, set_id); -- which later set changed a thing
ALTER TABLE change_sets ADD COLUMN schema_number INTEGER; -- the last migration when it was recorded
