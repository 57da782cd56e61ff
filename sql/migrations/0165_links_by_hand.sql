-- The characters whom a person linked to a scene before a draft brought them there: a draft that cuts them does not take these links away, but asks.
ALTER TABLE script_scenes ADD COLUMN by_hand TEXT NOT NULL DEFAULT '[]' CHECK (json_type(by_hand) = 'array'); -- ids of nodes
