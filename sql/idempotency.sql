-- Stored responses to requests with an Idempotency-Key.

-- name: get_idempotent_answer
SELECT request_sha256, body, created_at FROM idempotent_answers
WHERE key_id = :key_id AND idempotency_key = :idempotency_key AND created_at > :a_day_ago

-- name: put_idempotent_answer
INSERT INTO idempotent_answers (key_id, idempotency_key, request_sha256, body, created_at)
VALUES (:key_id, :idempotency_key, :request_sha256, :body, :created_at)

-- name: delete_idempotent_answers
DELETE FROM idempotent_answers WHERE created_at <= :a_day_ago
