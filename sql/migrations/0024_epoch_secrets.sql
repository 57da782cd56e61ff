-- Each epoch has a secret, which only copies of the database have: with it a copy that was promoted proves that it took over.

ALTER TABLE epochs ADD COLUMN secret TEXT; -- 64 hex digits
UPDATE epochs SET secret = lower(hex(randomblob(32)));
CREATE TRIGGER epochs_secret AFTER INSERT ON epochs BEGIN
  UPDATE epochs SET secret = lower(hex(randomblob(32))) WHERE id = new.id;
END;
