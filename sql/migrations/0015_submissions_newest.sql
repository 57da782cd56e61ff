-- Submissions are read in pages, and what an engagement has submitted is counted for its quota.

DROP INDEX submissions_delivery;
CREATE INDEX submissions_newest ON submissions (delivery_id, coalesce(created_at, ''), id); -- list_submissions

-- The files of an engagement's submissions. Triggers count them, because a document can add and remove them as well.
CREATE TABLE engagement_use (
  engagement_id INTEGER PRIMARY KEY REFERENCES engagements (id),
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
INSERT INTO engagement_use
SELECT w.engagement_id, count(*), sum(blobs.size)
FROM media m JOIN submissions w ON w.id = m.work_item_id JOIN blobs ON blobs.sha256 = m.sha256
GROUP BY w.engagement_id;

CREATE TRIGGER count_submitted_file AFTER INSERT ON media WHEN NEW.work_item_id IS NOT NULL BEGIN
  INSERT INTO engagement_use
  SELECT w.engagement_id, 1, blobs.size FROM submissions w, blobs WHERE w.id = NEW.work_item_id AND blobs.sha256 = NEW.sha256
  ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER count_removed_file AFTER DELETE ON media WHEN OLD.work_item_id IS NOT NULL BEGIN
  UPDATE engagement_use SET files = files - 1, bytes = bytes - (SELECT size FROM blobs WHERE sha256 = OLD.sha256)
  WHERE engagement_id = (SELECT engagement_id FROM submissions WHERE id = OLD.work_item_id);
END;
