-- Reach: what an engagement sees, computed at each call. Every clamped statement starts with {{reach}} and uses the
-- {{…_is_reached}} fragments below. Nothing else decides access to a row.
--
--   grant       target      reaches
--   read        node        that node: a scene, a character or any asset, and for an asset the notes on it
--   read        department  every asset of the department, and its notes on scenes that another grant reaches
--   read        delivery    the delivery, and media that belongs to it
--   submit      delivery    the same, and submitting work on it
--   read:own_po department  the vendor's own purchase orders there, and the department's cost report lines
--
-- Parameters: :engagement_id, null for a production-wide key, which is not clamped; :now, the time of the call.

-- fragment: engagement_is_active
-- Whether engagement e is active. An end in the future takes effect at that time.
(e.ended_at IS NULL OR e.ended_at > :now)

-- fragment: grant_is_live
-- Whether grant g of engagement e is live.
(g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > :now) AND {{engagement_is_active}})

-- fragment: grant_shows_node
-- Whether grant g, if it is live, reaches node n, as node_is_reached says it of the caller's own grants.
(g.verb = 'read' AND (g.node_id = n.id OR (n.kind <> 'scene' AND g.department_id = n.department_id)))

-- fragment: showing
-- showing: what each vendor's live grants show, nodes or departments. Materialized: a statement reads the grants of the
-- production once, however many nodes it asks about.
showing (vendor, node_id, department_id) AS MATERIALIZED (
  SELECT DISTINCT vendor.name, g.node_id, g.department_id
  FROM grants g CROSS JOIN engagements e ON e.id = g.engagement_id CROSS JOIN vendors vendor ON vendor.id = e.vendor_id
  WHERE g.production_id = :production_id AND g.verb = 'read' AND g.delivery_id IS NULL AND {{grant_is_live}}
)

-- fragment: vendors_who_see
-- The vendors to whom a grant in `showing` shows a node of `concerned`: what grant_shows_node says, as look-ups by
-- target.
SELECT g.vendor FROM concerned CROSS JOIN showing g ON g.node_id = concerned.node_id
UNION
SELECT g.vendor
FROM (
  SELECT DISTINCT n.department_id FROM concerned CROSS JOIN nodes n ON n.id = concerned.node_id
  WHERE n.kind <> 'scene' AND n.department_id IS NOT NULL) AS department
CROSS JOIN showing g ON g.department_id = department.department_id

-- fragment: reach
-- live: the grants of the engagement that are neither revoked nor expired, if the engagement is active. Not
-- materialized: each use is a look-up by target in the index grants_target, and a production-wide key never uses it.
live (id, verb, node_id, department_id, delivery_id, expires_at) AS NOT MATERIALIZED (
  SELECT id, verb, node_id, department_id, delivery_id, expires_at
  FROM grants
  WHERE engagement_id = :engagement_id
    AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > :now)
    AND (SELECT {{engagement_is_active}} FROM engagements e WHERE e.id = :engagement_id)
),
submittable_deliveries (delivery_id) AS (SELECT delivery_id FROM live WHERE verb = 'submit'),
money_departments (department_id) AS (SELECT department_id FROM live WHERE verb = 'read:own_po')

-- fragment: department_is_reached
-- Whether the department of row n is reached.
EXISTS (SELECT 1 FROM live WHERE node_id IS NULL AND department_id = n.department_id AND verb = 'read')

-- fragment: node_is_reached
-- Whether node n is reached.
(:engagement_id IS NULL
  OR EXISTS (SELECT 1 FROM live WHERE node_id = n.id AND verb = 'read')
  OR (n.kind <> 'scene' AND {{department_is_reached}}))

-- fragment: delivery_is_reached
-- Whether delivery d is reached.
(:engagement_id IS NULL
  OR EXISTS (SELECT 1 FROM live WHERE node_id IS NULL AND department_id IS NULL AND delivery_id = d.id))

-- fragment: submission_is_reached
-- Whether submission w is reached: by the engagement that submitted it, as long as it is active.
(:engagement_id IS NULL
  OR (w.engagement_id = :engagement_id AND (SELECT {{engagement_is_active}} FROM engagements e WHERE e.id = w.engagement_id)))

-- fragment: media_is_reached
-- Whether media row m is reached. Submitted work comes first, because a grant on its delivery must not give access to
-- it.
(:engagement_id IS NULL OR CASE
  WHEN m.work_item_id IS NOT NULL THEN EXISTS (
    SELECT 1 FROM submissions w WHERE w.id = m.work_item_id AND {{submission_is_reached}})
  WHEN m.version_id IS NOT NULL THEN EXISTS (
    SELECT 1 FROM versions v JOIN nodes n ON n.id = v.node_id
    WHERE v.id = m.version_id AND v.released = 1 AND {{node_is_reached}})
  WHEN m.delivery_id IS NOT NULL THEN EXISTS (SELECT 1 FROM deliveries d WHERE d.id = m.delivery_id AND {{delivery_is_reached}})
  ELSE 0
END)

-- fragment: has_submitted
-- Whether the engagement has submitted work on delivery d that it reaches: that stays readable without a grant.
EXISTS (SELECT 1 FROM submissions w WHERE w.delivery_id = d.id AND w.engagement_id = :engagement_id AND {{submission_is_reached}})

-- name: next_expiry
-- The next time at which an answer about the production may change without a write: a grant, a key or the former token
-- of one expires, or an engagement ends.
SELECT min(time) FROM (
  SELECT expires_at AS time FROM grants WHERE production_id = :production_id AND revoked_at IS NULL AND expires_at > :now
  UNION ALL SELECT ended_at FROM engagements WHERE production_id = :production_id AND ended_at > :now
  UNION ALL SELECT expires_at FROM api_keys WHERE production_id = :production_id AND revoked_at IS NULL AND expires_at > :now
  UNION ALL
  SELECT former.ends_at FROM api_keys k CROSS JOIN former_tokens former ON former.key_id = k.id
  WHERE k.production_id = :production_id AND former.ends_at > :now)
