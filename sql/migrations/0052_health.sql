-- What is wrong with the server: events say when that changes, also while it was stopped.
CREATE TABLE bad_conditions (
  name TEXT PRIMARY KEY,
  since TEXT NOT NULL
) STRICT;
