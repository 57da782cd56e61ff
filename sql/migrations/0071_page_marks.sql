-- What people did with a page that is no content of the production: which call sheet was printed and what it said, what was put away.
CREATE TABLE page_marks (
  production_id INTEGER NOT NULL REFERENCES productions (id),
  name TEXT NOT NULL,      -- such as "call sheet 12" or "checklist"
  marked_at TEXT NOT NULL,
  marked_by TEXT NOT NULL,
  content TEXT NOT NULL,   -- JSON
  PRIMARY KEY (production_id, name)
) STRICT;
