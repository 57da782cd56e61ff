-- Authentication. Each statement is one index look-up without a join, because one runs at every call; a key of a person
-- is one more.

-- fragment: person_has_left
-- Whether the person of key k left: nothing that is bound to that person acts then.
EXISTS (SELECT 1 FROM people WHERE id = k.person_id AND active = 0) AS has_left

-- name: get_caller_by_key
SELECT id AS key_id, label, production_id, engagement_id, person_id, scopes, expires_at, {{person_has_left}}
FROM api_keys k
WHERE token_sha256 = :token_sha256 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)

-- name: get_caller_by_former_token
-- For a token that is not the one of a key now. The latest known time counts where the clock was set back.
SELECT k.id AS key_id, k.label, k.production_id, k.engagement_id, k.person_id, k.scopes,
  min(t.ends_at, ifnull(k.expires_at, t.ends_at)) AS expires_at, {{person_has_left}}
FROM former_tokens t JOIN api_keys k ON k.id = t.key_id
WHERE t.token_sha256 = :token_sha256 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now)
  AND t.replaced_at <= :now AND t.ends_at > max(:now, ifnull((SELECT max(last_used_at) FROM api_keys), ''))

-- name: get_caller_by_key_id
SELECT id AS key_id, label, production_id, engagement_id, person_id, scopes, expires_at, {{person_has_left}}
FROM api_keys k
WHERE id = :key_id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)

-- name: get_access_token
SELECT key_id, scopes, expires_at
FROM oauth_tokens
WHERE token_sha256 = :token_sha256 AND kind = 'access' AND revoked_at IS NULL AND expires_at > :now

-- name: get_live_sign_in
-- The family of an access token that is not revoked, if a token of the family is still valid.
SELECT t.family
FROM oauth_tokens t
WHERE t.token_sha256 = :token_sha256 AND t.kind = 'access' AND t.key_id = :key_id AND t.revoked_at IS NULL
  AND EXISTS (
    SELECT 1 FROM oauth_tokens
    WHERE family = t.family AND used_at IS NULL AND revoked_at IS NULL AND expires_at > :now)

-- name: touch_key
UPDATE api_keys SET last_used_at = :now WHERE id = :key_id AND (last_used_at IS NULL OR last_used_at < :a_minute_ago)
