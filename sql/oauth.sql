-- OAuth for MCP clients: clients, authorization codes, and families of tokens. Only hashes of secrets are stored.

-- name: create_oauth_client
INSERT INTO oauth_clients (id, client_id, name, redirect_uris, created_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM oauth_clients), 0), ifnull((SELECT id FROM last_ids WHERE part = 'oauth_clients'), 0)),
  :client_id, :name, :redirect_uris, :now)

-- name: get_oauth_client
-- A client without a completed sign-in is only returned if it was created after :before.
SELECT client_id, name, redirect_uris, used_at
FROM oauth_clients
WHERE client_id = :client_id AND (used_at IS NOT NULL OR created_at > :before)

-- name: use_oauth_client
UPDATE oauth_clients SET used_at = :now WHERE client_id = :client_id

-- name: sweep_oauth_clients
-- Deletes unused clients that were created before :before, and all but the newest :max unused clients.
DELETE FROM oauth_clients
WHERE used_at IS NULL
  AND (created_at <= :before
    OR id <= (SELECT id FROM oauth_clients WHERE used_at IS NULL ORDER BY id DESC LIMIT 1 OFFSET :max))

-- name: sweep_idle_oauth_clients
-- Deletes clients whose last sign-in was before :before and that have no token and no code.
DELETE FROM oauth_clients
WHERE used_at <= :before
  AND client_id NOT IN (SELECT client_id FROM oauth_tokens) AND client_id NOT IN (SELECT client_id FROM oauth_codes)

-- name: get_oauth_signer
-- What the consent page shows about the key.
SELECT p.title AS production, v.name AS vendor
FROM api_keys k
JOIN productions p ON p.id = k.production_id
LEFT JOIN engagements e ON e.id = k.engagement_id
LEFT JOIN vendors v ON v.id = e.vendor_id
WHERE k.id = :key_id

-- name: create_oauth_code
INSERT INTO oauth_codes (code_sha256, client_id, key_id, redirect_uri, code_challenge, resource, scopes, family, expires_at)
VALUES (:code_sha256, :client_id, :key_id, :redirect_uri, :code_challenge, :resource, :scopes, :family, :expires_at)

-- name: get_oauth_code
SELECT client_id, key_id, redirect_uri, code_challenge, resource, scopes, family, expires_at, used_at
FROM oauth_codes
WHERE code_sha256 = :code_sha256

-- name: use_oauth_code
UPDATE oauth_codes SET used_at = :now WHERE code_sha256 = :code_sha256

-- name: sweep_oauth_codes
-- :before is long after the expiry, so that a replayed code can be distinguished from a guessed one.
DELETE FROM oauth_codes WHERE expires_at <= :before

-- name: trim_oauth_codes
-- Deletes all codes of a key except the newest :max.
DELETE FROM oauth_codes
WHERE key_id = :key_id AND code_sha256 NOT IN (
  SELECT code_sha256 FROM oauth_codes WHERE key_id = :key_id ORDER BY expires_at DESC, code_sha256 LIMIT :max)

-- name: trim_oauth_families
-- Deletes all sign-ins of a key except the :max that most recently got a token.
DELETE FROM oauth_tokens
WHERE key_id = :key_id AND family NOT IN (
  SELECT family FROM oauth_tokens WHERE key_id = :key_id GROUP BY family ORDER BY max(created_at) DESC, family LIMIT :max)

-- name: trim_oauth_family
-- Deletes all tokens of a sign-in except the newest :max.
DELETE FROM oauth_tokens
WHERE family = :family AND token_sha256 NOT IN (
  SELECT token_sha256 FROM oauth_tokens WHERE family = :family
  ORDER BY created_at DESC, token_sha256 LIMIT :max)

-- name: create_oauth_token
INSERT INTO oauth_tokens (token_sha256, kind, family, client_id, key_id, resource, scopes, created_at, expires_at)
VALUES (:token_sha256, :kind, :family, :client_id, :key_id, :resource, :scopes, :created_at, :expires_at)

-- name: get_newest_oauth_token
-- When the newest token of a sign-in was created; of the key, if the sign-in has none yet.
SELECT ifnull((SELECT max(created_at) FROM oauth_tokens WHERE family = :family),
  (SELECT max(created_at) FROM oauth_tokens WHERE key_id = :key_id)) AS created_at

-- name: get_oauth_token
SELECT kind, family, client_id, key_id, resource, scopes, expires_at, used_at, revoked_at
FROM oauth_tokens
WHERE token_sha256 = :token_sha256

-- name: use_oauth_token
UPDATE oauth_tokens SET used_at = :now WHERE token_sha256 = :token_sha256

-- name: end_oauth_token
UPDATE oauth_tokens SET revoked_at = :now WHERE token_sha256 = :token_sha256 AND revoked_at IS NULL

-- name: end_oauth_family
UPDATE oauth_tokens SET revoked_at = :now WHERE family = :family AND revoked_at IS NULL

-- name: sweep_oauth_tokens
-- :before is long after the expiry, because a media ticket of an access token is validated with the token's row. At
-- most 1,000 rows, because this runs with every new token.
DELETE FROM oauth_tokens
WHERE token_sha256 IN (SELECT token_sha256 FROM oauth_tokens WHERE expires_at <= :before ORDER BY expires_at LIMIT 1000)
