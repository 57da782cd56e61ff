-- The words that the search knows, so that one wrong letter is looked for among them only. It stores nothing of its own.
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);
