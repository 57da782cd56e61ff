-- The name that a decision was signed with: renaming a person changes no signature. Former decisions are signed with the present name.
-- Of a step that was decided in nobody's name, it is the name of the person whose step it was.

ALTER TABLE approval_steps ADD COLUMN signed_as TEXT; -- null on a pending step
ALTER TABLE former_steps ADD COLUMN signed_as TEXT;

DROP TRIGGER refuse_frozen; -- a frozen production gets the names too
UPDATE approval_steps SET signed_as = (SELECT name FROM people WHERE id = coalesce(decided_by_person_id, person_id))
WHERE status <> 'pending';
UPDATE former_steps SET signed_as = (SELECT name FROM people WHERE id = coalesce(decided_by_person_id, person_id))
WHERE status <> 'pending';
CREATE TRIGGER refuse_frozen BEFORE INSERT ON table_revisions
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id = NEW.production_id)
  AND NEW.part NOT IN ('activity', 'api_keys', 'api_keys.last_used_at') BEGIN
  SELECT RAISE(ABORT, 'the production is frozen');
END;
