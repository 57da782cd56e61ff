-- An asset may get thousands of notes in a year: neither its bundle nor a further note reads all of them.
DROP INDEX notes_node;
CREATE INDEX notes_node ON notes (node_id, placed_at); -- the notes of an asset, newest first, and the place of the next one
CREATE INDEX notes_version ON notes (node_id, version_id, placed_at) WHERE version_id IS NOT NULL; -- the note that a version shows
