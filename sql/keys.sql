-- API keys for admins. Tokens are not stored; a key is found by the hash of its token.

-- fragment: key_row
SELECT k.id, k.label, k.prefix, k.scopes, k.production_id, p.title AS production, k.engagement_id, v.name AS vendor,
  k.person_id, person.name AS person, person.active IS 0 AS person_left, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
  iif({{engagement_is_active}}, NULL, e.ended_at) AS engagement_ended_at,
  k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now) AS live,
  (SELECT json_group_array(json_object('prefix', prefix, 'ends_at', ends_at) ORDER BY ends_at, prefix) FROM former_tokens
   WHERE key_id = k.id AND ends_at > :now) AS former_tokens
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
-- By id, prefix or token hash, also of a former token. Two of the three parameters are null.
{{key_row}}
WHERE k.id = :id OR k.prefix = :prefix OR k.token_sha256 = :token_sha256
  OR k.id = (SELECT key_id FROM former_tokens
    WHERE prefix = :prefix OR (token_sha256 = :token_sha256 AND ends_at > :now))

-- name: create_key
-- The id of a key of a deleted production is never given again: tickets and logs name keys by it.
INSERT INTO api_keys (id, production_id, engagement_id, person_id, label, prefix, token_sha256, scopes, created_at, expires_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM api_keys), 0), ifnull((SELECT id FROM last_ids WHERE part = 'api_keys'), 0)),
  :production_id, :engagement_id, :person_id, :label, :prefix, :token_sha256, :scopes, :now, :expires_at)

-- name: list_keys_of
-- The keys of a production that are not revoked, of a person, an engagement or a label. Two of the three are null.
SELECT id FROM api_keys
WHERE production_id = :production_id AND revoked_at IS NULL
  AND (person_id = :person_id OR engagement_id = :engagement_id OR label = :label)
ORDER BY id

-- name: is_person_of_admin_key
-- A row if a key with the scope admin that is neither revoked nor expired is bound to the person.
SELECT 1 AS found FROM api_keys k, json_each(k.scopes) s
WHERE k.production_id = :production_id AND k.person_id = :person_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now)
  AND s.value = 'admin'

-- name: end_former_token
DELETE FROM former_tokens WHERE key_id = :key_id AND prefix = :prefix

-- name: revoke_key
UPDATE api_keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL
