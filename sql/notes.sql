-- Notes on assets. Order: newest first.

-- fragment: note_document
json_object('id', note.id, 'node_id', note.node_id, 'version_id', note.version_id, 'text', note.text,
  'author', note.author, 'created_at', note.created_at, 'place', json(note.place))

-- fragment: version_note_place
-- The place of the note that version v shows.
(SELECT jsonb(note.place) FROM notes note
 WHERE v.note IS NOT NULL AND note.node_id = v.node_id AND note.version_id = v.id AND note.text = v.note
 ORDER BY note.placed_at DESC, note.id DESC LIMIT 1)

-- name: get_note
SELECT {{note_document}} FROM notes note WHERE note.production_id = :production_id AND note.id = :note_id

-- name: list_notes
SELECT note.placed_at AS place, note.id AS tie, {{note_document}} AS document
FROM notes note
WHERE note.production_id = :production_id AND note.node_id = :node_id
  AND (note.placed_at, note.id) < (coalesce(:after, '~'), coalesce(:after_tie, 0))
ORDER BY note.placed_at DESC, note.id DESC LIMIT :limit

-- name: create_note
INSERT INTO notes (id, production_id, node_id, version_id, text, author, place, created_at, later_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM notes), 0), ifnull((SELECT id FROM last_ids WHERE part = 'notes'), 0)),
  :production_id, :node_id, :version_id, :text, :author, :place, :now,
  (SELECT nullif(max(max(placed_at), :now), :now) FROM notes WHERE node_id = :node_id))

-- name: put_version_note
-- The note of a version is its newest note.
UPDATE versions SET note = :text WHERE production_id = :production_id AND id = :version_id
