-- Nothing reads the ids of what a change set names: an undo turns its operations round, and a set without operations is not undone.
ALTER TABLE change_sets DROP COLUMN ids;
