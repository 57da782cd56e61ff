-- Signing in for MCP: clients, the codes of consents, and families of tokens. Secrets stand here as hashes alone.

-- name: create_oauth_client
INSERT INTO oauth_clients (client_id, name, redirect_uris, created_at) VALUES (:client_id, :name, :redirect_uris, :now)

-- name: get_oauth_client
-- a client that never completed a sign-in is gone once it is older than :before
SELECT client_id, name, redirect_uris, used_at
FROM oauth_clients
WHERE client_id = :client_id AND (used_at IS NOT NULL OR created_at > :before)

-- name: use_oauth_client
UPDATE oauth_clients SET used_at = :now WHERE client_id = :client_id

-- name: sweep_oauth_clients
-- those that expired unused, and of the unused ones all but the newest :max
DELETE FROM oauth_clients
WHERE used_at IS NULL
  AND (created_at <= :before
    OR id <= (SELECT id FROM oauth_clients WHERE used_at IS NULL ORDER BY id DESC LIMIT 1 OFFSET :max))

-- name: sweep_idle_oauth_clients
-- those that completed their last sign-in before :before and hold no token and no code
DELETE FROM oauth_clients
WHERE used_at <= :before
  AND client_id NOT IN (SELECT client_id FROM oauth_tokens) AND client_id NOT IN (SELECT client_id FROM oauth_codes)

-- name: get_oauth_signer
-- what a person is shown of the key that they sign in with
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
-- long after they expired: a replay is to be told from a stranger's guess
DELETE FROM oauth_codes WHERE expires_at <= :before

-- name: trim_oauth_codes
-- all codes of a key but the newest :max
DELETE FROM oauth_codes
WHERE key_id = :key_id AND code_sha256 NOT IN (
  SELECT code_sha256 FROM oauth_codes WHERE key_id = :key_id ORDER BY expires_at DESC, code_sha256 LIMIT :max)

-- name: trim_oauth_families
-- all sign-ins of a key but the :max that got a token last
DELETE FROM oauth_tokens
WHERE key_id = :key_id AND family NOT IN (
  SELECT family FROM oauth_tokens WHERE key_id = :key_id GROUP BY family ORDER BY max(created_at) DESC, family LIMIT :max)

-- name: trim_oauth_family
-- all tokens of a sign-in but the newest :max; the newest refresh token is the one that was not used
DELETE FROM oauth_tokens
WHERE family = :family AND token_sha256 NOT IN (
  SELECT token_sha256 FROM oauth_tokens WHERE family = :family
  ORDER BY created_at DESC, used_at IS NOT NULL, token_sha256 LIMIT :max)

-- name: create_oauth_token
INSERT INTO oauth_tokens (token_sha256, kind, family, client_id, key_id, resource, scopes, created_at, expires_at)
VALUES (:token_sha256, :kind, :family, :client_id, :key_id, :resource, :scopes, :now, :expires_at)

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
-- long after they expired: a media ticket that an access token fetched is judged by that token's row; a thousand at a time,
-- because it runs with every new token
DELETE FROM oauth_tokens
WHERE token_sha256 IN (SELECT token_sha256 FROM oauth_tokens WHERE expires_at <= :before ORDER BY expires_at LIMIT 1000)
