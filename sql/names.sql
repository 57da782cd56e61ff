-- The names of things in references, and those that they had before.

-- name: list_former_names
-- The names that things of a section had before they were renamed, with their ids, oldest first.
SELECT c.value ->> '$.id' AS id, c.value ->> ('$.fields.' || :field || '.from') AS name
FROM change_sets s, json_each(s.changes) c
WHERE s.production_id = :production_id AND s.changed > 0 AND instr(s.changes, '"section":"' || :section || '"') > 0
  AND c.value ->> '$.section' = :section AND c.value ->> '$.action' = 'change'
  AND json_type(c.value, '$.fields.' || :field || '.from') = 'text'
ORDER BY s.id

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

-- name: export_names
-- The things of a noun, each with what names it: a code, a slug, a name, a number, a title or a label. Oldest first.
SELECT id, code AS label, NULL AS ref, NULL AS kind, NULL AS episode
FROM episodes WHERE :noun = 'episode' AND production_id = :production_id
UNION ALL
SELECT id, slug, NULL, NULL, NULL FROM departments WHERE :noun = 'department' AND production_id = :production_id
UNION ALL
SELECT id, name, NULL, NULL, NULL FROM people WHERE :noun = 'person' AND production_id = :production_id
UNION ALL
SELECT id, name, NULL, NULL, NULL FROM vendors WHERE :noun = 'vendor' AND production_id = :production_id
UNION ALL
SELECT s.node_id, s.number, NULL, 'scene', e.code
FROM scenes s LEFT JOIN episodes e ON e.id = s.episode_id
WHERE :noun = 'scene' AND s.production_id = :production_id
UNION ALL
SELECT id, label, ref, kind, NULL
FROM nodes WHERE :noun = 'asset' AND production_id = :production_id AND kind <> 'scene'
UNION ALL
SELECT id, label, ref, NULL, NULL FROM ingredients WHERE :noun = 'ingredient' AND production_id = :production_id
UNION ALL
SELECT id, title, ref, NULL, NULL FROM engagements WHERE :noun = 'engagement' AND production_id = :production_id
UNION ALL
SELECT id, title, ref, NULL, NULL FROM deliveries WHERE :noun = 'delivery' AND production_id = :production_id
UNION ALL
SELECT id, title, ref, NULL, NULL FROM approvals WHERE :noun = 'approval' AND production_id = :production_id
ORDER BY id
