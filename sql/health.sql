-- What was wrong with the server when it looked last.

-- name: list_bad_conditions
SELECT name FROM bad_conditions ORDER BY name

-- name: put_bad_condition
INSERT INTO bad_conditions (name, since) VALUES (:name, :now) ON CONFLICT (name) DO NOTHING

-- name: delete_bad_condition
DELETE FROM bad_conditions WHERE name = :name
