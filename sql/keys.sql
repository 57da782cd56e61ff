-- API keys for admins. Tokens are not stored; a key is found by the hash of its token.

-- fragment: key_row
SELECT k.id, k.label, k.prefix, k.scopes, k.production_id, p.title AS production, k.engagement_id, v.name AS vendor,
  k.person_id, person.name AS person, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
  iif({{engagement_is_active}}, NULL, e.ended_at) AS engagement_ended_at,
  k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now) AS live
FROM api_keys k
JOIN productions p ON p.id = k.production_id
LEFT JOIN engagements e ON e.id = k.engagement_id
LEFT JOIN vendors v ON v.id = e.vendor_id
LEFT JOIN people person ON person.id = k.person_id

-- name: list_keys
{{key_row}}
WHERE :production_id IS NULL OR k.production_id = :production_id
ORDER BY k.id

-- name: find_key
-- By id, prefix or token hash. Two of the three parameters are null.
{{key_row}}
WHERE k.id = :id OR k.prefix = :prefix OR k.token_sha256 = :token_sha256

-- name: create_key
INSERT INTO api_keys (production_id, engagement_id, person_id, label, prefix, token_sha256, scopes, created_at, expires_at)
VALUES (:production_id, :engagement_id, :person_id, :label, :prefix, :token_sha256, :scopes, :now, :expires_at)

-- name: revoke_key
UPDATE api_keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL
