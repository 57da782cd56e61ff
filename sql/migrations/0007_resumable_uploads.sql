-- What an activity entry is about besides a node. No references: an entry outlives what it is about.
ALTER TABLE activity ADD COLUMN delivery_id INTEGER;
ALTER TABLE activity ADD COLUMN work_item_id INTEGER; -- a submission
