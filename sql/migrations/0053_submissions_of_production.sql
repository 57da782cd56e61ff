-- The submissions of a production in pages, newest first.
CREATE INDEX submissions_of_production ON submissions (production_id, placed_at, id); -- list_all_submissions
