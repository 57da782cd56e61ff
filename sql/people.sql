-- Order: by id.

-- fragment: person_row
json_object(
  'id', person.id, 'name', person.name, 'role', person.role,
  'department', (SELECT slug FROM departments WHERE id = person.department_id),
  'is_hod', iif(person.is_hod, json('true'), json('false')), 'is_admin', iif(person.is_admin, json('true'), json('false')),
  'active', iif(person.active, json('true'), json('false')))

-- name: list_people
SELECT person.id AS place, {{person_row}} AS document
FROM people person
WHERE person.production_id = :production_id AND person.id > coalesce(:after, 0)
ORDER BY person.id LIMIT :limit

-- name: get_person
SELECT {{person_row}} FROM people person WHERE person.production_id = :production_id AND person.id = :person_id

-- name: find_person
SELECT id, production_id, active FROM people WHERE id = :id
