-- Paths of library files and the sources of moves in NFC, because the NFC and NFD of a path are one file. Of rows that are one file, that which was
-- detected last stays, with the stand-in that was stored last. A frozen production's rows change, too, because nothing but the form changes.
CREATE TABLE unfrozen AS SELECT * FROM frozen_productions;
DELETE FROM frozen_productions;
CREATE TABLE same_files AS
SELECT id, first_value(id) OVER (PARTITION BY install_id, nfc(path) ORDER BY rtrim(detected_at, 'Z') DESC, id DESC) AS kept
FROM asset_files WHERE path GLOB '*[^ -~]*';
CREATE UNIQUE INDEX same_files_id ON same_files (id);
CREATE INDEX same_files_kept ON same_files (kept);
CREATE TABLE same_stand_ins AS
SELECT m.id, f.kept, row_number() OVER (PARTITION BY f.kept ORDER BY m.created_at DESC, m.id DESC) AS place
FROM same_files f JOIN media m ON m.asset_file_id = f.id;
DELETE FROM media WHERE id IN (SELECT id FROM same_stand_ins WHERE place > 1);
UPDATE media SET asset_file_id = s.kept FROM same_stand_ins s WHERE s.id = media.id AND s.place = 1 AND s.kept <> asset_file_id;
DELETE FROM asset_files WHERE id IN (SELECT id FROM same_files WHERE id <> kept);
UPDATE asset_files SET path = nfc(path) WHERE id IN (SELECT kept FROM same_files) AND path <> nfc(path);
UPDATE storage_tasks SET src = nfc(src) WHERE src GLOB '*[^ -~]*' AND src <> nfc(src);
DROP TABLE same_stand_ins;
DROP TABLE same_files;
INSERT INTO frozen_productions SELECT * FROM unfrozen;
DROP TABLE unfrozen;
