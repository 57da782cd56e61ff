-- name: get_media
WITH {{reach}}
SELECT json_object(
  'id', m.id, 'kind', m.kind, 'label', m.label,
  'node_id', (SELECT node_id FROM versions WHERE id = m.version_id),
  'delivery_id', m.delivery_id, 'work_item_id', m.work_item_id, 'created_by', m.created_by, 'created_at', m.created_at)
FROM media m
WHERE m.production_id = :production_id AND m.id = :id AND {{media_is_reached}}

-- name: get_media_content
WITH {{reach}}
SELECT m.label, m.sha256, blobs.size, blobs.content_type
FROM media m JOIN blobs ON blobs.sha256 = m.sha256
WHERE m.production_id = :production_id AND m.id = :id AND {{media_is_reached}}

-- name: get_media_at_path
WITH {{reach}}
SELECT m.label, m.sha256, blobs.size, blobs.content_type
FROM media m JOIN blobs ON blobs.sha256 = m.sha256
WHERE m.production_id = :production_id AND m.path = :path AND {{media_is_reached}}
