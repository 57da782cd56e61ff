-- A list that is newest first begins with what was written last, also after the clock went back: such a row takes the place of the newest
-- one before it. What a document brings has the place of its own time.

ALTER TABLE activity ADD COLUMN later_at TEXT; -- NULL if its place is created_at
ALTER TABLE activity ADD COLUMN placed_at TEXT GENERATED ALWAYS AS (coalesce(later_at, created_at)) VIRTUAL;
DROP INDEX activity_newest;
CREATE INDEX activity_newest ON activity (production_id, placed_at DESC, id DESC); -- the feed's order, so that a page never sorts

ALTER TABLE notes ADD COLUMN later_at TEXT;
ALTER TABLE notes ADD COLUMN placed_at TEXT GENERATED ALWAYS AS (coalesce(later_at, created_at)) VIRTUAL;

ALTER TABLE submissions ADD COLUMN later_at TEXT;
ALTER TABLE submissions ADD COLUMN placed_at TEXT GENERATED ALWAYS AS (coalesce(later_at, created_at, '')) VIRTUAL;
DROP INDEX submissions_newest;
CREATE INDEX submissions_newest ON submissions (delivery_id, placed_at, id); -- list_submissions
