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

-- name: list_signed_names
-- The names with which people signed, and those of removed people. The id is 0, last, where only the name is recorded.
SELECT ifnull(decided_by_person_id, person_id) AS id, signed_as AS name
FROM approval_steps WHERE production_id = :production_id AND signed_as IS NOT NULL
UNION
SELECT ifnull(decided_by_person_id, person_id), signed_as
FROM former_steps WHERE production_id = :production_id AND signed_as IS NOT NULL
UNION
SELECT c.value ->> '$.id', c.value ->> '$.key'
FROM change_sets s, json_each(s.changes) c
WHERE s.production_id = :production_id AND s.removed > 0
  AND c.value ->> '$.section' = 'people' AND c.value ->> '$.action' = 'remove'
UNION
SELECT 0, decided_by FROM script_changes WHERE production_id = :production_id AND decided_by IS NOT NULL
ORDER BY id DESC

-- name: find_person
SELECT id, production_id FROM people WHERE id = :id
