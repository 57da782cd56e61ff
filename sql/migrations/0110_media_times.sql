-- When the row of a medium changed; NULL: not since it was made. What a submission answers, and when and by whom it was decided.
ALTER TABLE media ADD COLUMN updated_at TEXT;

ALTER TABLE submissions ADD COLUMN answers INTEGER REFERENCES submissions (id) ON DELETE SET NULL; -- an earlier one of the same delivery and engagement
ALTER TABLE submissions ADD COLUMN decided_at TEXT;
ALTER TABLE submissions ADD COLUMN decided_by TEXT; -- the person's name, as it was then
CREATE INDEX submissions_answers ON submissions (answers) WHERE answers IS NOT NULL;
