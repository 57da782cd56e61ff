-- Order: as the production lists them.

-- name: list_departments
SELECT {{list}} FROM (
  SELECT json_object(
    'id', id, 'slug', slug, 'name', name, 'cluster', cluster, 'phases', json(phases), 'mission', mission,
    'key_roles', json(key_roles), 'privacy', privacy, 'unveiled', json(iif(unveiled, 'true', 'false'))) AS document
  FROM departments
  WHERE production_id = :production_id
  ORDER BY id)

-- name: get_department
SELECT json_object(
  'id', d.id, 'slug', d.slug, 'name', d.name, 'cluster', d.cluster, 'registry', json(d.registry),
  'people', json((
    SELECT json_group_array(json(document)) FROM (
      SELECT json_object('id', id, 'name', name, 'role', role, 'is_hod', json(iif(is_hod, 'true', 'false'))) AS document
      FROM people WHERE department_id = d.id ORDER BY id))),
  'assets', (SELECT count(*) FROM nodes WHERE department_id = d.id AND kind <> 'scene'))
FROM departments d
WHERE d.production_id = :production_id AND d.slug = :slug
