-- Browser sessions and one-time links. A session of a key is live only while the key is, which the caller's look-up
-- checks.

-- name: get_session
SELECT id, production_id, key_id, seen_as, expires_at FROM sessions WHERE token_sha256 = :token_sha256 AND expires_at > :now

-- name: get_session_owner
-- Whose session it is, also if it has ended.
SELECT s.production_id, k.engagement_id FROM sessions s LEFT JOIN api_keys k ON k.id = s.key_id WHERE s.token_sha256 = :token_sha256

-- name: get_session_renewal
-- When a live session ends if it is renewed now; no row if it ends after :soon anyway, or with its key.
SELECT min(:end, ifnull(k.expires_at, :end)) AS expires_at
FROM sessions s LEFT JOIN api_keys k ON k.id = s.key_id
WHERE s.token_sha256 = :token_sha256 AND s.expires_at > :now AND s.expires_at < min(:soon, ifnull(k.expires_at, :soon))

-- name: renew_session
UPDATE sessions SET expires_at = :expires_at WHERE token_sha256 = :token_sha256 AND expires_at > :now

-- name: create_session
INSERT INTO sessions (id, token_sha256, production_id, key_id, browser, created_at, expires_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM sessions), 0), ifnull((SELECT id FROM last_ids WHERE part = 'sessions'), 0)),
  :token_sha256, :production_id, :key_id, :browser, :now, :expires_at)

-- name: see_session_as
-- Lets an admin's session look through the reach of an engagement of its production; null ends that. A session of
-- another key stays as it is.
UPDATE sessions SET seen_as = :engagement_id
WHERE token_sha256 = :token_sha256 AND (key_id IS NULL OR EXISTS (
  SELECT 1 FROM api_keys k, json_each(k.scopes) s WHERE k.id = key_id AND k.engagement_id IS NULL AND s.value = 'admin'))

-- name: delete_session_by_token
DELETE FROM sessions WHERE token_sha256 = :token_sha256

-- name: delete_session
DELETE FROM sessions WHERE id = :id AND production_id = :production_id

-- name: sweep_sessions
DELETE FROM sessions WHERE expires_at <= :now

-- name: trim_sessions
-- Deletes the oldest sessions of a key, or of a production's admin, beyond :max.
DELETE FROM sessions WHERE id IN (
  SELECT id FROM sessions WHERE key_id IS :key_id AND production_id = :production_id ORDER BY id DESC LIMIT -1 OFFSET :max)

-- name: list_sessions
-- The live sessions of a production, newest first; own: whether its token is the given one.
SELECT s.id, s.key_id, k.label, k.prefix, s.browser, s.created_at, s.expires_at, s.token_sha256 = :token_sha256 AS own
FROM sessions s LEFT JOIN api_keys k ON k.id = s.key_id
WHERE s.production_id = :production_id AND s.expires_at > :now
  AND (s.key_id IS NULL OR (k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now)))
ORDER BY s.id DESC

-- name: create_sign_in_link
INSERT INTO sign_in_links (token_sha256, production_id, expires_at) VALUES (:token_sha256, :production_id, :expires_at)

-- name: use_sign_in_link
-- Returns the production of a live link and deletes the link, so that it works once.
DELETE FROM sign_in_links WHERE token_sha256 = :token_sha256 AND expires_at > :now RETURNING production_id

-- name: get_sign_in_link
SELECT production_id FROM sign_in_links WHERE token_sha256 = :token_sha256 AND expires_at > :now

-- name: sweep_sign_in_links
DELETE FROM sign_in_links WHERE expires_at <= :now

-- name: create_begin_link
INSERT INTO begin_links (token_sha256, expires_at) VALUES (:token_sha256, :expires_at)

-- name: get_begin_link
SELECT expires_at FROM begin_links WHERE token_sha256 = :token_sha256 AND expires_at > :now

-- name: sweep_begin_links
DELETE FROM begin_links WHERE expires_at <= :now

-- name: list_materials
-- What fed the versions of an asset: each ingredient once. No engagement calls it.
SELECT json_group_array(json_object('id', found.id, 'kind', found.kind, 'label', found.label, 'medium', json((
  SELECT json_object('id', m.id, 'sha256', m.sha256, 'content_type', blob.content_type)
  FROM media m JOIN blobs blob ON blob.sha256 = m.sha256 WHERE m.ingredient_id = found.id ORDER BY m.id LIMIT 1)))) FROM (
  SELECT DISTINCT i.id, i.kind, i.label
  FROM versions v CROSS JOIN version_ingredients fed ON fed.version_id = v.id CROSS JOIN ingredients i ON i.id = fed.ingredient_id
  WHERE v.production_id = :production_id AND v.node_id = :node_id AND (v.released OR :with_unreleased)
  ORDER BY i.kind, i.label, i.id) found

-- name: get_page_mark
SELECT marked_at, marked_by, content FROM page_marks WHERE production_id = :production_id AND name = :name

-- name: set_page_mark
INSERT INTO page_marks (production_id, name, marked_at, marked_by, content)
VALUES (:production_id, :name, :marked_at, :marked_by, :content)
ON CONFLICT (production_id, name) DO UPDATE SET marked_at = excluded.marked_at, marked_by = excluded.marked_by, content = excluded.content

-- name: list_my_work
-- What waits for a person, in this order: approvals to sign; those for which they asked for changes, once a newer
-- version came; those that asked for changes of a version of theirs, until a newer one came; late deliveries of a
-- department that they head; notes of others on their versions. No engagement calls it.
SELECT json_group_array(json_object('kind', kind, 'href', href, 'title', title, 'about', about, 'at', at, 'due', due)) FROM (
  SELECT * FROM (
    SELECT 'sign' AS kind, '/approvals/' || a.id AS href, a.title AS title, NULL AS about, NULL AS at, a.due AS due
    FROM approvals a CROSS JOIN {{awaited_step}} AND a.production_id = :production_id AND step.person_id = :person_id
    ORDER BY ifnull(a.due, '~'), a.id)
  UNION ALL
  SELECT 'answered', '/approvals/' || a.id, a.title, step.note, newer.created_at, NULL
  FROM approvals a
  CROSS JOIN approval_steps step ON step.approval_id = a.id AND step.status = 'changes_requested' AND ifnull(step.decided_by_person_id = :person_id, :person_id IS NULL)
  CROSS JOIN versions newer ON newer.id = {{newest_version}}
  WHERE a.production_id = :production_id AND a.status = 'changes_requested' AND {{answers_step}}
  UNION ALL
  SELECT 'returned', '/approvals/' || a.id, a.title, step.note, step.decided_at, NULL
  FROM approvals a
  CROSS JOIN approval_steps step ON step.approval_id = a.id AND step.status = 'changes_requested'
  CROSS JOIN versions v ON v.id = coalesce(step.version_id, a.version_id, (SELECT id FROM versions WHERE node_id = a.node_id ORDER BY version DESC LIMIT 1))
  WHERE a.production_id = :production_id AND a.status = 'changes_requested' AND v.created_by_person_id = :person_id
    AND NOT EXISTS (SELECT 1 FROM versions newer WHERE newer.id = {{newest_version}} AND {{answers_step}})
  UNION ALL
  SELECT 'late', '/deliveries/' || d.id, d.title, NULL, NULL, d.due
  FROM people p CROSS JOIN deliveries d ON d.from_department_id = p.department_id
  WHERE p.id = :person_id AND p.is_hod = 1 AND d.production_id = :production_id AND d.status NOT IN ('sent', 'accepted') AND d.due < :today AND date(d.due) IS d.due
    AND NOT EXISTS (SELECT 1 FROM submissions waiting WHERE waiting.delivery_id = d.id AND waiting.status = 'submitted')
  UNION ALL
  SELECT * FROM (
    SELECT 'note', '/assets/' || n.id, n.label || ' v' || v.version, note.text, note.created_at, NULL
    FROM versions v CROSS JOIN nodes n ON n.id = v.node_id CROSS JOIN notes note ON note.node_id = v.node_id AND note.version_id = v.id
    WHERE v.production_id = :production_id AND v.created_by_person_id = :person_id AND note.placed_at >= :notes_since
      AND note.author NOT IN (ifnull(v.created_by, ''), (SELECT name FROM people WHERE id = :person_id))
    ORDER BY note.placed_at DESC, note.id DESC LIMIT 20))

-- name: list_waiting_work
-- The submitted work on deliveries that nobody has looked at, of one engagement or of all: how much on each delivery,
-- and the oldest of it.
WITH waiting AS (
  SELECT w.id, w.delivery_id, w.engagement_id, w.title, w.placed_at, w.created_at FROM submissions w
  WHERE w.production_id = :production_id AND w.status = 'submitted' AND w.engagement_id = ifnull(:engagement_id, w.engagement_id))
SELECT json_object(
  'counts', json((
    SELECT json_group_array(json_object('delivery_id', delivery_id, 'count', count))
    FROM (SELECT delivery_id, count(*) AS count FROM waiting GROUP BY delivery_id ORDER BY delivery_id))),
  'oldest', json((
    SELECT json_group_array(json_object(
      'id', w.id, 'delivery_id', w.delivery_id, 'title', w.title, 'created_at', w.created_at, 'vendor', (
        SELECT v.name FROM engagements e CROSS JOIN vendors v ON v.id = e.vendor_id WHERE e.id = w.engagement_id)))
    FROM (SELECT * FROM waiting ORDER BY placed_at, id LIMIT :most) w)))

-- name: create_invitation
INSERT INTO invitations (key_id, production_id, token_sha256, created_at, expires_at, key_ends_at)
VALUES (:key_id, :production_id, :token_sha256, :now, :expires_at, :key_ends_at)

-- fragment: invitation
-- What is shown of invitation i.
SELECT i.key_id, i.production_id, production.title AS production, k.label, person.name AS person, vendor.name AS vendor,
  i.created_at, i.expires_at, i.used_at, k.revoked_at, e.ended_at, person.active IS 0 AS person_left
FROM invitations i
JOIN api_keys k ON k.id = i.key_id
JOIN productions production ON production.id = i.production_id
LEFT JOIN people person ON person.id = k.person_id
LEFT JOIN engagements e ON e.id = k.engagement_id
LEFT JOIN vendors vendor ON vendor.id = e.vendor_id

-- name: get_invitation
{{invitation}} WHERE i.token_sha256 = :token_sha256

-- name: list_invitations
-- Newest first.
{{invitation}} WHERE i.production_id = :production_id ORDER BY i.key_id DESC LIMIT :limit

-- name: use_invitation
-- Marks a live invitation as used, so that it works once. No row if it is not live.
UPDATE invitations SET used_at = :now
WHERE token_sha256 = :token_sha256 AND used_at IS NULL AND expires_at > :now
  AND (SELECT revoked_at FROM api_keys WHERE id = key_id) IS NULL
RETURNING production_id, key_id, key_ends_at

-- name: set_key_end
UPDATE api_keys SET expires_at = :expires_at WHERE production_id = :production_id AND id = :key_id

-- fragment: answers_step
-- Whether version `newer` answers what was asked for at step `step` of approval a: it is newer than the version that
-- was signed, or came after the decision, if that version is not known.
step.status = 'changes_requested' AND iif(ifnull(step.version_id, a.version_id) IS NULL, newer.created_at > step.decided_at,
  newer.version > (SELECT version FROM versions WHERE id = ifnull(step.version_id, a.version_id)))

-- name: list_signed_versions
SELECT a.id AS approval_id, {{signed_version}} AS version_id, {{newest_version}} AS newest_id
FROM json_each(:ids) asked CROSS JOIN approvals a ON a.id = asked.value
WHERE a.production_id = :production_id

-- fragment: media_of_subject
-- The media that are shown of the subject of approval a: those of the newest work on delivery d, otherwise its own; or
-- the still of version v.
SELECT * FROM (SELECT id, label, sha256 FROM media WHERE work_item_id = work.id ORDER BY id LIMIT :most)
UNION ALL
SELECT * FROM (
  SELECT id, label, sha256 FROM media WHERE work.id IS NULL AND delivery_id = d.id AND work_item_id IS NULL ORDER BY id LIMIT :most)
UNION ALL
SELECT * FROM (
  SELECT still.id, still.label, still.sha256 FROM media still CROSS JOIN blobs shown ON shown.sha256 = still.sha256
  WHERE d.id IS NULL AND still.version_id = v.id AND (v.released OR :with_unreleased)
  ORDER BY shown.content_type NOT LIKE 'image/%', still.id LIMIT 1)

-- fragment: notes_of_version
-- The note that came with version v, and the newest note on it, which may be the same. A note that came with it is no
-- row before another one comes.
SELECT v.note AS text, {{version_author}} AS author, 1 AS came_with
WHERE v.note IS NOT NULL AND NOT EXISTS (SELECT 1 FROM notes WHERE node_id = v.node_id AND version_id = v.id)
UNION ALL
SELECT text, author, came_with
FROM (
  SELECT text, author, created_at IS v.created_at AS came_with, row_number() OVER (ORDER BY placed_at DESC, id DESC) AS age
  FROM notes WHERE node_id = v.node_id AND version_id = v.id)
WHERE came_with OR age = 1

-- name: list_approval_subjects
-- What each of the approvals is about. No engagement calls it.
SELECT json_group_array(json_object(
  'approval_id', a.id, 'node_id', a.node_id, 'kind', n.kind, 'label', n.label,
  'scene', (
    SELECT jsonb_object('number', s.number, 'slugline', s.slugline, 'episode_code', (SELECT code FROM episodes WHERE id = s.episode_id))
    FROM scenes s WHERE s.node_id = a.node_id),
  'delivery_id', a.delivery_id, 'delivery', d.title,
  'version', iif(v.id IS NULL, NULL, jsonb_object(
    'id', v.id, 'version', v.version, 'variant', v.variant, 'status', v.status,
    'released', iif(v.released, json('true'), json('false')), 'archived', iif(v.archived, json('true'), json('false')),
    'created_by', iif(v.released OR :with_unreleased, {{version_author}}, NULL),
    'created_at', iif(v.released OR :with_unreleased, v.created_at, NULL))),
  'newest', (
    SELECT jsonb_object('id', newer.id, 'version', newer.version, 'variant', newer.variant, 'answers', iif(EXISTS (
      SELECT 1 FROM approval_steps step WHERE step.approval_id = a.id AND a.status = 'changes_requested' AND {{answers_step}}), json('true'), json('false')))
    FROM versions newer WHERE newer.id = {{newest_version}}),
  'signed', (
    SELECT jsonb_group_object(id, version) FROM versions WHERE id IN (
      SELECT version_id FROM approval_steps WHERE approval_id = a.id
      UNION ALL SELECT version_id FROM former_steps WHERE approval_id = a.id)),
  'media', (
    SELECT jsonb_group_array(jsonb_object('id', m.id, 'label', m.label, 'sha256', m.sha256, 'content_type', blob.content_type) ORDER BY m.id)
    FROM ({{media_of_subject}}) m CROSS JOIN blobs blob ON blob.sha256 = m.sha256),
  'notes', (
    SELECT jsonb_group_array(jsonb_object('text', text, 'author', author, 'came_with', iif(came_with, json('true'), json('false'))) ORDER BY came_with DESC)
    FROM ({{notes_of_version}}) WHERE v.released OR :with_unreleased),
  'submission', (
    SELECT jsonb_group_array(part.value)
    FROM json_each(json_array(work.title, (
      SELECT vendor.name FROM engagements e CROSS JOIN vendors vendor ON vendor.id = e.vendor_id WHERE e.id = work.engagement_id), work.note)) part
    WHERE part.value <> '')))
FROM json_each(:ids) asked CROSS JOIN approvals a ON a.id = asked.value
LEFT JOIN nodes n ON n.id = a.node_id
LEFT JOIN deliveries d ON d.id = a.delivery_id
LEFT JOIN versions v ON v.id = {{signed_version}}
LEFT JOIN submissions work ON work.id = (
  SELECT id FROM submissions WHERE delivery_id = a.delivery_id ORDER BY placed_at DESC, id DESC LIMIT 1)
WHERE a.production_id = :production_id

-- name: get_newest_action
SELECT max(id) FROM audit WHERE production_id = :production_id

-- name: list_actions_since
SELECT detail FROM audit WHERE production_id = :production_id AND id > :since AND action = :action

-- name: list_scenes_by_episode
-- The scenes of a series that are not omitted, with the length that they are said to have.
SELECT s.episode_id, n.status = 'done' AS is_shot, s.elements ->> '$.pages' AS pages
FROM scenes s JOIN nodes n ON n.id = s.node_id
WHERE s.production_id = :production_id AND s.episode_id IS NOT NULL AND n.status <> 'omitted'
