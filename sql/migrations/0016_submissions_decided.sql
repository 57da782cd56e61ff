-- What the production answered to submitted work.
ALTER TABLE submissions ADD COLUMN decision_note TEXT;
