-- Labels have an index of their own: the column filter of FTS5 reads every row whose body has the words (25 times the time at 20,000 scenes, measured).
-- The index of beginnings has those of six letters: a longer one makes FTS5 collect every row that has it. What is stored is indexed at the next commit.

CREATE VIRTUAL TABLE search_labels USING fts5 (
  label,
  kind UNINDEXED,
  production_id UNINDEXED,
  tokenize = 'unicode61 remove_diacritics 2',
  prefix = '1 2 3'
);

DROP TABLE search;
CREATE VIRTUAL TABLE search USING fts5 (
  label,                  -- what the thing is called
  body,                   -- what else finds it, in the order in which an excerpt shows it
  kind UNINDEXED,
  production_id UNINDEXED,
  tokenize = 'unicode61 remove_diacritics 2',
  prefix = '1 2 3 4 5 6'
);

INSERT OR IGNORE INTO search_changes
SELECT id * 10 FROM nodes
UNION ALL SELECT id * 10 + 1 FROM people
UNION ALL SELECT id * 10 + 2 FROM deliveries
UNION ALL SELECT id * 10 + 3 FROM approvals
UNION ALL SELECT id * 10 + 4 FROM shoot_days;
