-- Order: by id.

-- name: list_departments
SELECT id AS place,
  json_object(
    'id', id, 'slug', slug, 'name', name, 'cluster', cluster, 'phases', json(phases), 'mission', mission,
    'key_roles', json(key_roles), 'privacy', privacy, 'unveiled', iif(unveiled, json('true'), json('false'))) AS document
FROM departments
WHERE production_id = :production_id AND id > coalesce(:after, 0)
ORDER BY id LIMIT :limit

-- name: get_department
SELECT json_object(
  'id', d.id, 'slug', d.slug, 'name', d.name, 'cluster', d.cluster, 'registry', json(d.registry),
  'people', (
    SELECT jsonb_group_array(
      json_object('id', id, 'name', name, 'role', role, 'is_hod', iif(is_hod, json('true'), json('false'))) ORDER BY id)
    FROM people WHERE department_id = d.id),
  'assets', (SELECT count(*) FROM nodes WHERE department_id = d.id AND kind <> 'scene'))
FROM departments d
WHERE d.production_id = :production_id AND d.slug = :slug
