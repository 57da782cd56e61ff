-- What the demo shows.

-- name: find_demo_vendor
-- An active engagement that may submit work and has a read grant on a scene, of the production with the title `first`
-- if it has one.
SELECT e.production_id, e.id AS engagement_id, v.name AS vendor, n.id AS node_id
FROM engagements e
JOIN vendors v ON v.id = e.vendor_id
JOIN productions p ON p.id = e.production_id
JOIN grants submitting ON submitting.engagement_id = e.id AND submitting.verb = 'submit'
  AND submitting.revoked_at IS NULL AND (submitting.expires_at IS NULL OR submitting.expires_at > :now)
JOIN grants reading ON reading.engagement_id = e.id AND reading.verb = 'read'
  AND reading.revoked_at IS NULL AND (reading.expires_at IS NULL OR reading.expires_at > :now)
JOIN nodes n ON n.id = reading.node_id AND n.kind = 'scene'
WHERE {{engagement_is_active}}
ORDER BY p.title <> :first, e.production_id, e.id, reading.id LIMIT 1
