-- Engagements and their grants for admins, including those that are ended, expired or revoked.

-- name: list_engagements
SELECT e.id, e.production_id, v.name AS vendor, e.title, {{engagement_is_active}} AS active, e.created_at, e.ended_at
FROM engagements e JOIN vendors v ON v.id = e.vendor_id
WHERE (:production_id IS NULL OR e.production_id = :production_id) AND (:id IS NULL OR e.id = :id)
ORDER BY e.id

-- fragment: grants_with_targets
-- Each grant with the kind, id and name of its target.
SELECT g.id, g.engagement_id, g.verb,
  CASE WHEN g.node_id IS NOT NULL THEN 'node' WHEN g.department_id IS NOT NULL THEN 'department' ELSE 'delivery' END AS target,
  coalesce(g.node_id, g.department_id, g.delivery_id) AS target_id,
  coalesce(d.name, delivery.title,
    (SELECT 'scene ' || {{scene_name}} || ', ' || s.slugline
     FROM scenes s LEFT JOIN episodes episode ON episode.id = s.episode_id WHERE s.node_id = n.id),
    n.kind || ' ' || n.label) AS target_name,
  g.created_at, g.expires_at, g.revoked_at,
  {{grant_is_live}} AS live
FROM grants g
JOIN engagements e ON e.id = g.engagement_id
LEFT JOIN nodes n ON n.id = g.node_id
LEFT JOIN departments d ON d.id = g.department_id
LEFT JOIN deliveries delivery ON delivery.id = g.delivery_id

-- name: list_grants
{{grants_with_targets}}
WHERE :engagement_id IS NULL OR g.engagement_id = :engagement_id
ORDER BY g.id

-- name: get_grant
{{grants_with_targets}}
WHERE g.id = :id

-- name: find_vendor
SELECT id, name FROM vendors WHERE production_id = :production_id AND name_key(name) = name_key(:name)

-- name: create_vendor
INSERT INTO vendors (id, production_id, name)
VALUES (1 + max(ifnull((SELECT max(id) FROM vendors), 0), ifnull((SELECT id FROM last_ids WHERE part = 'vendors'), 0)),
  :production_id, :name)

-- name: find_engagement
-- The first active engagement of the vendor with that title.
SELECT e.id FROM engagements e
WHERE e.production_id = :production_id AND e.vendor_id = :vendor_id AND name_key(e.title) = name_key(:title)
  AND {{engagement_is_active}}
ORDER BY e.id LIMIT 1

-- name: create_engagement
INSERT INTO engagements (id, production_id, vendor_id, title, created_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM engagements), 0), ifnull((SELECT id FROM last_ids WHERE part = 'engagements'), 0)),
  :production_id, :vendor_id, :title, :now)

-- name: end_engagement
UPDATE engagements AS e SET ended_at = :now WHERE e.production_id = :production_id AND e.id = :id AND {{engagement_is_active}}

-- name: find_grant_target
-- The production of a node, department or delivery. Two of the three parameters are null.
SELECT production_id FROM nodes WHERE id = :node_id
UNION ALL SELECT production_id FROM departments WHERE id = :department_id
UNION ALL SELECT production_id FROM deliveries WHERE id = :delivery_id

-- name: create_grant
INSERT INTO grants (id, production_id, engagement_id, verb, node_id, department_id, delivery_id, created_at, expires_at)
VALUES (1 + max(ifnull((SELECT max(id) FROM grants), 0), ifnull((SELECT id FROM last_ids WHERE part = 'grants'), 0)),
  :production_id, :engagement_id, :verb, :node_id, :department_id, :delivery_id, :now, :expires_at)

-- name: list_same_grants
-- The live grants of the engagement with that verb and target. Two of the three target parameters are null.
SELECT id, expires_at FROM grants
WHERE engagement_id = :engagement_id AND verb = :verb
  AND node_id IS :node_id AND department_id IS :department_id AND delivery_id IS :delivery_id
  AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
  AND (SELECT {{engagement_is_active}} FROM engagements e WHERE e.id = :engagement_id)
ORDER BY id

-- name: set_grant_expiry
UPDATE grants SET expires_at = :expires_at WHERE production_id = :production_id AND id = :id

-- name: find_grant
SELECT id, production_id, engagement_id, verb, node_id, department_id, delivery_id, expires_at, revoked_at
FROM grants WHERE id = :id

-- name: revoke_grant
UPDATE grants SET revoked_at = :now WHERE production_id = :production_id AND id = :id AND revoked_at IS NULL
