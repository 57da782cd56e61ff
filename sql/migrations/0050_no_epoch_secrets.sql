-- What two boxes prove to each other, they prove with a secret in a file: no copy of the database has it.

DROP TRIGGER epochs_secret;
ALTER TABLE epochs DROP COLUMN secret;
