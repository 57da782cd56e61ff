-- The characters who left the cast of a scene and whose links that a person made somebody keeps: nobody is asked about them again.
ALTER TABLE script_scenes ADD COLUMN kept TEXT NOT NULL DEFAULT '[]' CHECK (json_type(kept) = 'array'); -- ids of nodes
