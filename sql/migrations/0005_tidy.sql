-- Every stored answer was a 200: the status was never read.
ALTER TABLE idempotent_answers DROP COLUMN status;
