-- What uses an asset, and who may see it. Order: scenes in script order, days by number, the others by id.

-- name: get_asset_usage
-- :node_id is an asset. Its shoot days are those of its scenes that are not omitted.
WITH used_in (node_id) AS MATERIALIZED (
  SELECT link.from_node_id FROM node_links link CROSS JOIN scenes s ON s.node_id = link.from_node_id WHERE link.to_node_id = :node_id
),
about (delivery_id) AS MATERIALIZED (SELECT delivery_id FROM delivery_nodes WHERE node_id = :node_id)
SELECT json_object(
  'asset', {{asset_row}},
  'newest', (
    SELECT jsonb_object('id', v.id, 'version', v.version, 'variant', v.variant, 'status', v.status,
      'released', iif(v.released, json('true'), json('false')))
    FROM versions v WHERE v.node_id = n.id AND v.archived = 0 ORDER BY v.version DESC LIMIT 1),
  'newest_released', (
    SELECT jsonb_object('id', v.id, 'version', v.version, 'variant', v.variant, 'status', v.status, 'released', json('true'),
      'media_id', (SELECT id FROM media WHERE version_id = v.id))
    FROM versions v WHERE v.node_id = n.id AND v.archived = 0 AND v.released = 1 ORDER BY v.version DESC LIMIT 1),
  'scenes', (
    SELECT jsonb_group_array(
      json_object('node_id', s.node_id, 'number', s.number, 'slugline', s.slugline, 'status', scene.status)
      ORDER BY s.script_order)
    FROM used_in CROSS JOIN scenes s ON s.node_id = used_in.node_id CROSS JOIN nodes scene ON scene.id = s.node_id),
  'shoot_days', (
    SELECT jsonb_group_array(
      json_object('id', day.id, 'day_number', day.day_number, 'date', day.date, 'status', day.status, 'general_call', day.general_call)
      ORDER BY day.day_number)
    FROM shoot_days day
    WHERE day.id IN (
      SELECT strips.shoot_day_id FROM used_in CROSS JOIN strips ON strips.node_id = used_in.node_id
      CROSS JOIN nodes scene ON scene.id = used_in.node_id WHERE scene.status <> 'omitted')),
  'approvals', (
    SELECT jsonb_group_array(json_object({{approval_row}}, 'node_id', a.node_id, 'delivery_id', a.delivery_id) ORDER BY a.id)
    FROM approvals a
    WHERE a.id IN (
      SELECT id FROM approvals WHERE node_id = :node_id
      UNION SELECT gated.id FROM about CROSS JOIN approvals gated ON gated.delivery_id = about.delivery_id)),
  'deliveries', (
    SELECT jsonb_group_array(
      json_object('id', d.id, 'title', d.title, 'status', d.status, 'due', d.due, 'external_to', d.external_to) ORDER BY d.id)
    FROM about CROSS JOIN deliveries d ON d.id = about.delivery_id),
  'grants', (
    SELECT jsonb_group_array(
      json_object('engagement_id', g.engagement_id, 'vendor', vendor.name, 'verb', g.verb, 'expires_at', g.expires_at) ORDER BY g.id)
    FROM grants g CROSS JOIN engagements e ON e.id = g.engagement_id CROSS JOIN vendors vendor ON vendor.id = e.vendor_id
    WHERE g.production_id = :production_id AND {{grant_is_live}} AND {{grant_shows_node}}))
FROM nodes n
WHERE n.production_id = :production_id AND n.id = :node_id AND n.kind <> 'scene'

-- name: list_assets_of_label
SELECT id FROM nodes WHERE production_id = :production_id AND name_key(label) = name_key(:label) AND kind <> 'scene' ORDER BY id
