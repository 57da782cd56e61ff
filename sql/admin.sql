-- The rotation of keys, submissions for admins and for those who look over them, releases, vendors, storage and the
-- audit log.

-- name: keep_former_token
INSERT INTO former_tokens (token_sha256, key_id, prefix, replaced_at, ends_at)
SELECT token_sha256, id, prefix, :now, :ends_at FROM api_keys WHERE id = :id

-- name: replace_token
UPDATE api_keys SET token_sha256 = :token_sha256, prefix = :prefix WHERE id = :id

-- name: list_production_submissions
-- Those of a production, or the one with the id; by id.
SELECT w.id, w.production_id, w.delivery_id, d.title AS delivery, w.engagement_id, v.name AS vendor, w.title, w.status, w.created_at,
  count(m.id) AS files, ifnull(sum(blob.size), 0) AS bytes
FROM submissions w
JOIN deliveries d ON d.id = w.delivery_id
JOIN engagements e ON e.id = w.engagement_id
JOIN vendors v ON v.id = e.vendor_id
LEFT JOIN media m ON m.work_item_id = w.id
LEFT JOIN blobs blob ON blob.sha256 = m.sha256
WHERE w.production_id = :production_id OR w.id = :id
GROUP BY w.id ORDER BY w.id

-- name: list_submission_media
SELECT id AS media_id, sha256 FROM media WHERE work_item_id = :id ORDER BY id

-- name: delete_submission
DELETE FROM submissions WHERE production_id = :production_id AND id = :id

-- name: list_audit
-- Without a production, that of all.
SELECT id AS place,
  json_object('id', id, 'created_at', created_at, 'actor', actor, 'action', action, 'production_id', production_id, 'detail', json(detail)) AS document
FROM audit
WHERE (:production_id IS NULL OR production_id = :production_id) AND id < coalesce(:after, :before, 9e18)
ORDER BY id DESC
LIMIT :limit

-- fragment: access_of_engagement
-- The live grants of engagement e, those of one verb, kind and expiry together.
(SELECT jsonb_group_array(
   jsonb_object('verb', verb, 'kind', kind, 'expires_at', expires_at, 'ids', ids, 'labels', labels)
   ORDER BY verb, kind, coalesce(expires_at, ''))
 FROM (
   SELECT verb, kind, expires_at, jsonb_group_array(target ORDER BY target) AS ids, jsonb_group_array(label ORDER BY target) AS labels
   FROM (
     SELECT g.verb, g.expires_at, coalesce(g.node_id, g.department_id, g.delivery_id) AS target,
       coalesce(n.kind, iif(g.department_id IS NULL, 'delivery', 'department')) AS kind,
       coalesce({{node_label}}, department.slug, d.title) AS label
     FROM grants g
     LEFT JOIN nodes n ON n.id = g.node_id
     LEFT JOIN departments department ON department.id = g.department_id
     LEFT JOIN deliveries d ON d.id = g.delivery_id
     WHERE g.engagement_id = e.id AND {{grant_is_live}})
   GROUP BY verb, kind, expires_at))

-- name: list_vendors
SELECT v.id AS place,
  json_object('id', v.id, 'name', v.name, 'engagements', (
    SELECT jsonb_group_array(
      iif(:include IS NOT NULL,
        jsonb_object('id', e.id, 'title', e.title, 'ended_at', e.ended_at, 'access', {{access_of_engagement}}),
        jsonb_object('id', e.id, 'title', e.title, 'ended_at', e.ended_at))
      ORDER BY e.id)
    FROM engagements e WHERE e.vendor_id = v.id)) AS document
FROM vendors v
WHERE v.production_id = :production_id AND v.id > coalesce(:after, 0)
ORDER BY v.id LIMIT :limit

-- name: find_version
SELECT v.id, v.production_id, v.node_id, n.label, v.version, v.variant, v.released, v.archived
FROM versions v JOIN nodes n ON n.id = v.node_id
WHERE v.id = :id

-- name: release_version
UPDATE versions SET released = 1 WHERE production_id = :production_id AND id = :id

-- name: archive_version
UPDATE versions SET archived = 1 WHERE production_id = :production_id AND id = :id

-- name: list_installs
SELECT id, production_id, filespace, active, created_at FROM storage_installs
WHERE production_id = :production_id ORDER BY id

-- name: switch_installs_off
UPDATE storage_installs SET active = 0 WHERE production_id = :production_id AND active = 1

-- name: switch_install_on
INSERT INTO storage_installs (id, production_id, filespace, active, created_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM storage_installs), 0), ifnull((SELECT id FROM last_ids WHERE part = 'storage_installs'), 0)),
  :production_id, :filespace, 1, :now)
ON CONFLICT (production_id, filespace) DO UPDATE SET active = 1

-- name: list_moves
SELECT t.id, i.filespace, t.src, t.dst, t.status, t.note, t.src_sha256, t.created_at, t.settled_at
FROM storage_tasks t JOIN storage_installs i ON i.id = t.install_id
WHERE t.production_id = :production_id ORDER BY t.id

-- name: find_pending_move
SELECT id FROM storage_tasks WHERE install_id = :install_id AND src = :src AND status = 'pending'

-- name: create_move
INSERT INTO storage_tasks (id, production_id, install_id, src, dst, status, created_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM storage_tasks), 0), ifnull((SELECT id FROM last_ids WHERE part = 'storage_tasks'), 0)),
  :production_id, :install_id, :src, :dst, 'pending', :now)

-- name: end_former_tokens
-- A token that ended stays ended, whatever the clock says later.
DELETE FROM former_tokens WHERE ends_at <= :now

-- name: count_unreleased
-- The assets that have versions of which none is released.
SELECT count(*) FROM nodes n
WHERE n.production_id = :production_id AND n.kind <> 'scene'
  AND EXISTS (SELECT 1 FROM versions WHERE node_id = n.id)
  AND NOT EXISTS (SELECT 1 FROM versions WHERE node_id = n.id AND released = 1)

-- name: get_storage_figures
SELECT (SELECT filespace FROM storage_installs WHERE production_id = :production_id AND active = 1) AS filespace,
  count(*) AS moves, count(*) FILTER (WHERE status = 'pending') AS waiting
FROM storage_tasks WHERE production_id = :production_id

-- name: count_inside
-- The keys that somebody can use, and the sessions without a key. An invitation that nobody has used is none of them.
SELECT (SELECT count(*) FROM api_keys k
    WHERE k.production_id = :production_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now)
      AND NOT EXISTS (SELECT 1 FROM invitations WHERE key_id = k.id AND used_at IS NULL))
  + (SELECT count(*) FROM sessions WHERE production_id = :production_id AND key_id IS NULL AND expires_at > :now)
