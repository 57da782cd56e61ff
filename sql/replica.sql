-- The epochs of the database.

-- name: list_epochs
SELECT epoch, started_at, succeeds FROM epochs ORDER BY id

-- name: record_succession
UPDATE epochs SET succeeds = :former WHERE id = (SELECT max(id) FROM epochs)
