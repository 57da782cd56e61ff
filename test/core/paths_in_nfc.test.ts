// The migration that stores the paths of library files in NFC merges the rows that are one file, in a frozen
// production, too.
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate, migrations } from "../../src/core/store/migrations.ts";

const test = suite("paths in NFC");

test("merges the rows of one file: the later facts and the later stand-in stay", () => {
  const database = new Database(":memory:");
  const before = migrations().findIndex(({ name }) => name.includes("paths_in_nfc"));
  migrate(database, migrations().slice(0, before));
  database.exec(`
    INSERT INTO productions (id, title, logline, status, phase, accent, format, created_at) VALUES (1, '', '', '', '', '', 'single', '');
    INSERT INTO storage_installs (id, production_id, filespace, active, created_at) VALUES
      (1, 1, 'main', 1, '2026-01-01'), (2, 1, 'other', 0, '2026-01-01');
    INSERT INTO asset_files (id, production_id, install_id, path, state, size, detected_at) VALUES
      (1, 1, 1, 'a/u\u0308 e\u0301', 'present', 1, '2026-01-01T00:00:00.5Z'),
      (2, 1, 1, 'a/\u00fc e\u0301', 'present', 2, '2026-01-01T00:00:00.51Z'),
      (3, 1, 1, 'a/\u00fc \u00e9', 'gone', 3, '2026-01-01T00:00:00Z'),
      (4, 1, 1, 'a/U\u0308 \u00e9', 'present', 4, '2026-01-01T00:00:00Z'),
      (5, 1, 2, 'a/u\u0308 e\u0301', 'present', 5, '2026-01-01T00:00:00Z'),
      (6, 1, 1, 'plain', 'present', 6, '2026-01-01T00:00:00Z');
    INSERT INTO blobs (sha256, size, content_type, created_at) VALUES
      (printf('%064d', 1), 1, 'image/jpeg', ''), (printf('%064d', 2), 1, 'image/jpeg', ''), (printf('%064d', 3), 1, 'image/jpeg', '');
    INSERT INTO media (id, production_id, path, kind, label, sha256, asset_file_id, created_at) VALUES
      (1, 1, 'm1', 'proxy', 'x', printf('%064d', 1), 1, '2026-01-03'), (2, 1, 'm2', 'proxy', 'x', printf('%064d', 2), 2, '2026-01-02'), (3, 1, 'm3', 'proxy', 'x', printf('%064d', 3), 4, '2026-01-02');
    INSERT INTO storage_tasks (id, production_id, install_id, src, dst, status, created_at) VALUES
      (1, 1, 1, 'e\u0301', 'e\u0301/x', 'pending', '2026-01-01');
    INSERT INTO frozen_productions (production_id, frozen_at) VALUES (1, '2026-01-01');`);
  migrate(database);
  const rows = (query: string) => database.prepare(query).raw().all();
  assert.equal(rows("SELECT id, path, state, size FROM asset_files ORDER BY id"), [
    [2, "a/\u00fc \u00e9", "present", 2],
    [4, "a/\u00dc \u00e9", "present", 4],
    [5, "a/\u00fc \u00e9", "present", 5],
    [6, "plain", "present", 6],
  ]);
  assert.equal(rows("SELECT id, asset_file_id FROM media ORDER BY id"), [
    [1, 2],
    [3, 4],
  ]);
  assert.equal(rows("SELECT src, dst FROM storage_tasks"), [["\u00e9", "e\u0301/x"]]);
  assert.equal(rows("SELECT production_id FROM frozen_productions"), [[1]]);
  database.close();
});

test.run();
