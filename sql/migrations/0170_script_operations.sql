-- What a change set did to stored scripts is in its operations. One that has it in a column of its own can be read, and no longer be undone.
UPDATE change_sets SET script = '[]', schema_number = NULL WHERE script IS NOT NULL;
