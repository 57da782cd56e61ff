-- The epoch that a promotion ended. Only a promotion succeeds an epoch: restoring a backup begins one that continues none.

ALTER TABLE epochs ADD COLUMN succeeds TEXT; -- null for the first epoch, and for one that a restore began
