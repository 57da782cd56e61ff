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

-- name: list_person_names
SELECT id, name FROM people WHERE production_id = :production_id ORDER BY id

-- name: erase_person
UPDATE people SET name = :name, role = 'removed', department_id = NULL, is_hod = 0, is_admin = 0, active = 0
WHERE production_id = :production_id AND id = :id

-- name: forget_answers
-- A stored answer may name anybody.
DELETE FROM idempotent_answers WHERE key_id IN (SELECT id FROM api_keys WHERE production_id = :production_id)

-- name: find_person
SELECT id, production_id FROM people WHERE id = :id

-- name: get_person_name
SELECT name FROM people WHERE id = :id
