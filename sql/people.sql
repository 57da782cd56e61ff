-- Order: as the production lists them.

-- name: list_people
SELECT {{list}} FROM (
  SELECT json_object(
    'id', person.id, 'name', person.name, 'role', person.role,
    'department', (SELECT slug FROM departments WHERE id = person.department_id),
    'is_hod', json(iif(person.is_hod, 'true', 'false')), 'is_admin', json(iif(person.is_admin, 'true', 'false'))) AS document
  FROM people person
  WHERE person.production_id = :production_id
  ORDER BY person.id)

-- name: find_person
SELECT id, production_id FROM people WHERE id = :id
