-- The epochs of the database.

-- name: list_epochs
SELECT epoch, started_at, secret, succeeds FROM epochs ORDER BY id
