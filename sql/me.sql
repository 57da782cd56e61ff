-- The key of a call: its production and, for a bound key, its engagement and what that reaches. Order: by id.

-- fragment: candidates
-- candidates: the nodes that a grant may reach; node_is_reached decides. There are far fewer of them than nodes.
candidates (id) AS NOT MATERIALIZED (
  SELECT node_id FROM live WHERE node_id IS NOT NULL
  UNION
  SELECT n.id FROM live CROSS JOIN nodes n ON n.department_id = live.department_id
)

-- name: get_me
-- The admin of this server in a browser session has no key. :scopes and :expires_at are those of the call. An access
-- token may have fewer scopes than its key, and expires earlier.
WITH {{reach}}, {{candidates}}
SELECT json_object(
  'key', json_object(
    'id', ifnull(k.id, 0), 'label', ifnull(k.label, 'admin'), 'prefix', ifnull(k.prefix, ''), 'scopes', json(:scopes), 'expires_at', :expires_at,
    'person_id', k.person_id),
  'production', json_object('id', p.id, 'title', p.title, 'format', p.format),
  'engagement', (
    SELECT jsonb_object(
      'id', e.id, 'title', e.title, 'vendor', v.name,
      'grants', (
        SELECT jsonb_group_array(
          json_object(
            'id', g.id, 'verb', g.verb,
            'target', json_object(
              'kind', CASE WHEN n.id IS NOT NULL THEN 'node' WHEN department.id IS NOT NULL THEN 'department' ELSE 'delivery' END,
              'id', coalesce(n.id, department.id, d.id),
              'label', coalesce({{node_label}}, department.name, d.title)),
            'expires_at', g.expires_at)
          ORDER BY g.id)
        FROM live g
        LEFT JOIN nodes n ON n.id = g.node_id
        LEFT JOIN departments department ON department.id = g.department_id
        LEFT JOIN deliveries d ON d.id = g.delivery_id))
    FROM engagements e CROSS JOIN vendors v ON v.id = e.vendor_id
    WHERE e.id = :engagement_id),
  'reach', iif(:engagement_id IS NULL, NULL, json_object(
    'nodes', (
      SELECT jsonb_group_array({{node_reference}} ORDER BY n.id)
      FROM candidates CROSS JOIN nodes n ON n.id = candidates.id
      WHERE {{node_is_reached}}),
    'deliveries', (
      SELECT jsonb_group_array(
        json_object('id', d.id, 'title', d.title,
          'can_submit', iif(d.id IN (SELECT delivery_id FROM submittable_deliveries), json('true'), json('false')))
        ORDER BY d.id)
      FROM deliveries d
      WHERE d.production_id = :production_id AND {{delivery_is_reached}}),
    'submitted_on', (
      SELECT jsonb_group_array(d.id ORDER BY d.id)
      FROM (SELECT DISTINCT delivery_id FROM submissions WHERE engagement_id = :engagement_id) own
      CROSS JOIN deliveries d ON d.id = own.delivery_id
      WHERE {{has_submitted}}))))
FROM productions p LEFT JOIN api_keys k ON k.id = :key_id AND k.production_id = p.id
WHERE p.id = :production_id
