-- The epochs of the database.

-- name: list_epochs
SELECT epoch, started_at, succeeds FROM epochs ORDER BY id
