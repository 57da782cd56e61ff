-- The index has texts in the form of searches: names in every form as one, usual letters, and each character of Chinese, Japanese, Korean and Thai
-- as a token. Marks are part of a token. What an answer shows stands beside it. What is stored is indexed in the transaction of this migration.

DROP TABLE search_words;
DROP TABLE search;
CREATE VIRTUAL TABLE search USING fts5 (
  label,                  -- what the thing is called, in the form of searches, as body is
  body,                   -- what else finds it, in the order in which an excerpt shows it
  shown_label UNINDEXED,
  shown_body UNINDEXED,
  kind UNINDEXED,
  production_id UNINDEXED,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'",
  prefix = '1 2 3 4 5 6'
);
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);

DROP TABLE search_labels;
CREATE VIRTUAL TABLE search_labels USING fts5 (
  label,
  kind UNINDEXED,
  production_id UNINDEXED,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'",
  prefix = '1 2 3'
);

DROP TABLE search_scripts;
CREATE VIRTUAL TABLE search_scripts USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);

INSERT OR IGNORE INTO search_changes
SELECT id * 10 FROM nodes
UNION ALL SELECT id * 10 + 1 FROM people
UNION ALL SELECT id * 10 + 2 FROM deliveries
UNION ALL SELECT id * 10 + 3 FROM approvals
UNION ALL SELECT id * 10 + 4 FROM shoot_days;
