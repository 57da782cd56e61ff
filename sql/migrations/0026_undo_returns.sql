-- What an undo gives back: an activity entry names its node again, and the bytes of removed media are kept as long as the change set.

ALTER TABLE activity ADD COLUMN gone_node_id INTEGER; -- the node that it was about and that was removed; no id is given twice
CREATE INDEX activity_gone ON activity (gone_node_id) WHERE gone_node_id IS NOT NULL; -- the entries about a node that comes back
CREATE TRIGGER activity_returns AFTER INSERT ON nodes BEGIN
  UPDATE activity SET node_id = NEW.id, gone_node_id = NULL WHERE gone_node_id = NEW.id;
END;

-- The media that a change set replaced or removed.
CREATE TABLE change_set_media (
  change_set_id INTEGER NOT NULL REFERENCES change_sets (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL REFERENCES blobs (sha256) ON DELETE CASCADE,
  PRIMARY KEY (change_set_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_set_media_sha256 ON change_set_media (sha256); -- whether bytes are still needed
