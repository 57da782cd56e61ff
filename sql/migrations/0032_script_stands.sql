-- Whether the latest draft has the scene where the production has it: 0 where its place awaits a decision or was dismissed, and for what the draft omits.
ALTER TABLE script_scenes ADD COLUMN stands INTEGER NOT NULL DEFAULT 1 CHECK (stands IN (0, 1));
UPDATE script_scenes SET stands = 0 WHERE place IS NULL OR node_id IS NULL OR scene ->> 'omitted';
