-- Call sheets as they were issued. A day that was removed has none, though its rows stay for its return.

-- name: get_issued_day
SELECT day_number, nullif(unit, '') AS unit FROM shoot_days WHERE production_id = :production_id AND id = :shoot_day_id

-- name: get_last_day_issue
SELECT number, issued_at, issued_by, bundle FROM day_issues
WHERE production_id = :production_id AND shoot_day_id = :shoot_day_id
ORDER BY number DESC LIMIT 1

-- name: get_issuer
SELECT name FROM people WHERE production_id = :production_id AND id = :person_id

-- name: issue_day
INSERT INTO day_issues (production_id, shoot_day_id, number, issued_at, issued_by, bundle)
VALUES (:production_id, :shoot_day_id, :number, :issued_at, :issued_by, :bundle)

-- name: list_day_issues
SELECT number AS place, json_object('number', number, 'issued_at', issued_at, 'issued_by', issued_by) AS document
FROM day_issues
WHERE production_id = :production_id AND shoot_day_id = :shoot_day_id AND number < coalesce(:after, 9007199254740991)
ORDER BY number DESC LIMIT :limit

-- name: get_day_issue
SELECT json_object('number', number, 'issued_at', issued_at, 'issued_by', issued_by, 'bundle', json(bundle)) FROM day_issues
WHERE production_id = :production_id AND shoot_day_id = :shoot_day_id AND number = :number

-- name: trim_day_issues
DELETE FROM day_issues WHERE (shoot_day_id, number) IN (
  SELECT shoot_day_id, number FROM day_issues WHERE issued_at < :before ORDER BY issued_at LIMIT :limit)
