-- What a change set changed is told by its changes alone, and an undo turns them round: what was removed has the fields that it had.
-- Beside them are only ids: those of what the values name, and of the scene before each scene that moved or went.

ALTER TABLE change_sets RENAME COLUMN inverse TO ids;
ALTER TABLE change_sets ADD COLUMN script TEXT CHECK (script IS NULL OR json_type(script) = 'array'); -- what was done to the stored script
UPDATE change_sets SET script = ids -> '$.script' WHERE json_type(ids, '$.script') = 'array';

CREATE TEMP TABLE former_things (
  set_id INTEGER, place INTEGER, item TEXT, position INTEGER, preceding INTEGER, PRIMARY KEY (set_id, place)) WITHOUT ROWID;
INSERT INTO former_things
SELECT s.id, CAST(f.key AS INTEGER), f.value -> '$.item', f.value ->> '$.position', f.value ->> '$.after'
FROM change_sets s, json_each(s.ids, '$.former') f;

UPDATE change_sets SET ids = json_object('names', ifnull(ids -> '$.names', json('{}')), 'before', json((
  SELECT json_group_object(c.value ->> '$.id', t.preceding)
  FROM json_each(changes) c JOIN former_things t ON t.set_id = change_sets.id AND t.place = c.key
  WHERE t.preceding IS NOT NULL)));

UPDATE change_sets SET changes = (
  SELECT json_group_array(
    CASE WHEN t.item IS NULL THEN json(c.value) ELSE json_set(c.value, '$.fields', json((
      SELECT json_group_object(field, json_object('from', json(value), 'to', NULL)) FROM (
        SELECT i.key AS field, t.item -> i.key AS value FROM json_each(t.item) i
        UNION ALL SELECT 'order', t.position WHERE t.position IS NOT NULL)))) END ORDER BY c.key)
  FROM json_each(changes) c LEFT JOIN former_things t ON t.set_id = change_sets.id AND t.place = c.key)
WHERE id IN (SELECT set_id FROM former_things WHERE item IS NOT NULL);

DROP TABLE former_things;
