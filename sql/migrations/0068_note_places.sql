-- The place on the still of a version that a note is about, as JSON: {"x": 0.5, "y": 0.25}, fractions of its width and height.
ALTER TABLE notes ADD COLUMN place TEXT CHECK (place IS NULL OR version_id IS NOT NULL);
