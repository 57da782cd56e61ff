-- The scene as it was last approved, where a later version of it was dismissed; NULL: the same as the scene, or none was approved.
ALTER TABLE script_scenes ADD COLUMN approved TEXT CHECK (approved IS NULL OR json_type(approved) = 'object');
