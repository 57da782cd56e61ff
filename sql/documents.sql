-- Import and export of production documents. Imported rows get ids in the order of the document. Rows are changed and removed by
-- statements that the writer makes of these inserts: the first column is the id.
-- The inserts have positional parameters: binding by name would take a third of the time, and a document may have a million rows.

-- name: import_find_title
SELECT id FROM productions WHERE name_key(title) = name_key(:title)

-- name: import_production
INSERT INTO productions (id, title, logline, status, phase, accent, format, season_number, current_episode_id, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_episode
INSERT INTO episodes (id, production_id, code, title, position) VALUES (?, ?, ?, ?, ?)

-- name: import_department
INSERT INTO departments (id, production_id, slug, name, cluster, phases, mission, key_roles, privacy, unveiled, registry)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_person
INSERT INTO people (id, production_id, name, role, department_id, is_hod, is_admin, active) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_node
INSERT INTO nodes (id, production_id, kind, label, ref, status, department_id, cast_number, performer, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_scene
INSERT INTO scenes (node_id, production_id, episode_id, number, slugline, synopsis, revision_color, elements, script_order)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_node_link
INSERT INTO node_links (production_id, from_node_id, to_node_id) VALUES (?, ?, ?)

-- name: import_ingredient
INSERT INTO ingredients (id, production_id, kind, label, ref) VALUES (?, ?, ?, ?, ?)

-- name: import_version
INSERT INTO versions (id, production_id, node_id, version, variant, status, note, created_by, created_by_person_id, archived, released, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_version_ingredient
INSERT INTO version_ingredients (production_id, version_id, ingredient_id, relation) VALUES (?, ?, ?, ?)

-- name: import_shoot_day
INSERT INTO shoot_days (id, production_id, day_number, date, general_call, status, location, notes, wrap) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_strip
INSERT INTO strips (production_id, shoot_day_id, node_id, position) VALUES (?, ?, ?, ?)

-- name: import_day_call
INSERT INTO day_calls (production_id, shoot_day_id, position, node_id, person_id, department_id, who, time, note)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_day_banner
INSERT INTO day_banners (production_id, shoot_day_id, position, before_node_id, text) VALUES (?, ?, ?, ?, ?)

-- name: import_vendor
INSERT INTO vendors (id, production_id, name) VALUES (?, ?, ?)

-- name: import_engagement
INSERT INTO engagements (id, production_id, vendor_id, title, ref, created_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: import_grant
INSERT INTO grants (id, production_id, engagement_id, verb, node_id, department_id, delivery_id, created_at, expires_at, revoked_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_delivery
INSERT INTO deliveries (id, production_id, title, ref, status, kind, due, external_to, from_department_id, to_department_id, spec, sent_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_delivery_node
INSERT INTO delivery_nodes (production_id, delivery_id, node_id) VALUES (?, ?, ?)

-- name: import_submission
INSERT INTO submissions (id, production_id, delivery_id, engagement_id, status, title, note, decision_note, created_by, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_approval
INSERT INTO approvals (id, production_id, title, ref, status, mode, due, node_id, delivery_id, version_id, version_status)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_approval_step
INSERT INTO approval_steps (production_id, approval_id, position, person_id, status, decided_at, note, decided_by_person_id, signed_as)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_former_step
INSERT INTO former_steps (production_id, approval_id, round, position, person_id, status, decided_at, note, decided_by_person_id, signed_as)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_department_note
INSERT INTO department_notes (id, production_id, department_id, node_id, summary, created_at) VALUES (?, ?, ?, ?, ?, ?)

-- name: import_note
INSERT INTO notes (id, production_id, node_id, version_id, text, author, place, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_purchase_order
INSERT INTO purchase_orders (id, production_id, number, account, vendor_id, description, amount, status, date, department_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_cost_report
INSERT INTO cost_reports (id, production_id, week_of, active) VALUES (?, ?, ?, ?)

-- name: import_cost_report_line
INSERT INTO cost_report_lines (id, production_id, cost_report_id, account, department_id, budget, figures) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: import_script_change
INSERT INTO script_changes (id, production_id, episode_id, node_id, kind, status, scene_number, summary, revision_color, detected_at, decided_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_job
INSERT INTO jobs (id, production_id, kind, status, summary, model, node_id, created_by, created_at, finished_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_activity
INSERT INTO activity (id, production_id, verb, summary, actor, actor_person_id, node_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_storage_install
INSERT INTO storage_installs (id, production_id, filespace, active, created_at) VALUES (?, ?, ?, ?, ?)

-- name: import_asset_file
INSERT INTO asset_files (id, production_id, install_id, path, state, size, mtime_ns, detected_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_storage_task
INSERT INTO storage_tasks (id, production_id, install_id, src, dst, status, note, src_sha256, created_at, settled_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: update_production
UPDATE productions SET title = :title, logline = :logline, status = :status, phase = :phase, accent = :accent, format = :format,
  season_number = :season_number, current_episode_id = :current_episode_id
WHERE id = :production_id

-- name: touch_shown_nodes
-- Moves the time of the last change of nodes whose row in a list shows something that changed: a strip or a note of the node, the slug of a
-- department, the code of an episode.
UPDATE nodes SET updated_at = :now WHERE production_id = :production_id AND updated_at < :now AND id IN (
  SELECT value FROM json_each(:nodes)
  UNION SELECT n.id FROM json_each(:departments) d JOIN nodes n ON n.production_id = :production_id AND n.department_id = d.value
  UNION SELECT note.node_id FROM json_each(:departments) d JOIN department_notes note ON note.department_id = d.value
  UNION SELECT s.node_id FROM json_each(:episodes) e JOIN scenes s ON s.production_id = :production_id AND s.episode_id = e.value)

-- name: list_bindings
-- The things of a production to which rows refer that no document has.
SELECT 'engagement' AS noun, engagement_id AS id FROM api_keys WHERE production_id = :production_id AND engagement_id IS NOT NULL
UNION SELECT 'person', person_id FROM api_keys WHERE production_id = :production_id AND person_id IS NOT NULL
UNION SELECT 'episode', episode_id FROM script_drafts WHERE production_id = :production_id AND episode_id IS NOT NULL
UNION SELECT 'episode', episode_id FROM script_scenes WHERE production_id = :production_id AND episode_id IS NOT NULL
UNION SELECT 'scene', node_id FROM script_scenes WHERE production_id = :production_id AND node_id IS NOT NULL
ORDER BY noun, id

-- name: forget_node_in_activity
UPDATE activity SET node_id = NULL, gone_node_id = node_id WHERE production_id = :production_id AND node_id = :id

-- name: export_vendors
SELECT id, name FROM vendors WHERE production_id = :production_id ORDER BY id

-- name: export_media
SELECT m.id, m.version_id, m.delivery_id, m.work_item_id, m.ingredient_id, m.asset_file_id,
  m.path, m.kind, m.label, m.created_by, m.created_at, m.sha256, b.content_type
FROM media m JOIN blobs b ON b.sha256 = m.sha256
WHERE m.production_id = :production_id ORDER BY m.id

-- name: export_production
SELECT * FROM productions WHERE id = :production_id

-- name: export_episodes
SELECT * FROM episodes WHERE production_id = :production_id ORDER BY position

-- name: export_departments
SELECT * FROM departments WHERE production_id = :production_id ORDER BY id

-- name: export_people
SELECT * FROM people WHERE production_id = :production_id ORDER BY id

-- name: export_ingredients
SELECT * FROM ingredients WHERE production_id = :production_id ORDER BY id

-- name: export_scenes
SELECT n.id, s.number, s.episode_id, s.slugline, s.synopsis, n.status, s.revision_color, s.elements, s.script_order, n.created_at, n.updated_at
FROM scenes s JOIN nodes n ON n.id = s.node_id
WHERE s.production_id = :production_id ORDER BY s.script_order

-- name: export_assets
SELECT * FROM nodes WHERE production_id = :production_id AND kind <> 'scene' ORDER BY id

-- name: export_node_links
SELECT l.from_node_id, l.to_node_id FROM nodes n JOIN node_links l ON l.from_node_id = n.id
WHERE n.production_id = :production_id ORDER BY l.from_node_id, l.to_node_id

-- name: export_versions
SELECT v.* FROM nodes n JOIN versions v ON v.node_id = n.id
WHERE n.production_id = :production_id ORDER BY v.node_id, v.version

-- name: export_version_ingredients
SELECT version_id, ingredient_id, relation FROM version_ingredients
WHERE production_id = :production_id ORDER BY version_id, ingredient_id

-- name: export_shoot_days
SELECT * FROM shoot_days WHERE production_id = :production_id ORDER BY day_number

-- name: export_strips
SELECT shoot_day_id, node_id FROM strips WHERE production_id = :production_id ORDER BY shoot_day_id, position

-- name: export_day_calls
SELECT shoot_day_id, node_id, person_id, department_id, who, time, note
FROM day_calls WHERE production_id = :production_id ORDER BY shoot_day_id, position

-- name: export_day_banners
SELECT shoot_day_id, before_node_id, text FROM day_banners WHERE production_id = :production_id ORDER BY shoot_day_id, position

-- name: list_unlinked_calls
SELECT shoot_day_id, position, who FROM day_calls WHERE production_id = :production_id AND who IS NOT NULL

-- name: link_call
UPDATE day_calls SET node_id = :node_id, person_id = :person_id, department_id = :department_id, who = NULL
WHERE production_id = :production_id AND shoot_day_id = :shoot_day_id AND position = :position

-- name: export_engagements
SELECT * FROM engagements WHERE production_id = :production_id ORDER BY id

-- name: export_grants
SELECT * FROM grants WHERE production_id = :production_id ORDER BY id

-- name: export_deliveries
SELECT * FROM deliveries WHERE production_id = :production_id ORDER BY id

-- name: export_delivery_nodes
SELECT d.delivery_id, d.node_id FROM delivery_nodes d LEFT JOIN scenes s ON s.node_id = d.node_id
WHERE d.production_id = :production_id ORDER BY d.delivery_id, s.script_order, d.node_id

-- name: export_submissions
SELECT * FROM submissions WHERE production_id = :production_id ORDER BY id

-- name: export_approvals
SELECT a.*, v.version FROM approvals a LEFT JOIN versions v ON v.id = a.version_id
WHERE a.production_id = :production_id ORDER BY a.id

-- name: export_approval_steps
SELECT * FROM approval_steps WHERE production_id = :production_id ORDER BY approval_id, position

-- name: export_former_steps
SELECT * FROM former_steps WHERE production_id = :production_id ORDER BY approval_id, round, position

-- name: export_department_notes
SELECT * FROM department_notes WHERE production_id = :production_id ORDER BY id

-- name: export_notes
SELECT n.*, v.version FROM notes n LEFT JOIN versions v ON v.id = n.version_id
WHERE n.production_id = :production_id ORDER BY n.id

-- name: export_purchase_orders
SELECT * FROM purchase_orders WHERE production_id = :production_id ORDER BY id

-- name: export_cost_reports
SELECT * FROM cost_reports WHERE production_id = :production_id ORDER BY id

-- name: export_cost_report_lines
SELECT * FROM cost_report_lines WHERE production_id = :production_id ORDER BY id

-- name: export_script_changes
SELECT * FROM script_changes WHERE production_id = :production_id ORDER BY id

-- name: export_jobs
SELECT * FROM jobs WHERE production_id = :production_id ORDER BY id

-- name: export_activity
SELECT * FROM activity WHERE production_id = :production_id ORDER BY id

-- name: export_storage_installs
SELECT * FROM storage_installs WHERE production_id = :production_id ORDER BY id

-- name: export_asset_files
-- mtime_ns is returned as text, because a JavaScript number cannot represent every 64-bit integer.
SELECT id, install_id, path, state, size, CAST(mtime_ns AS TEXT) AS mtime_ns, detected_at FROM asset_files
WHERE production_id = :production_id ORDER BY install_id, path

-- name: export_storage_tasks
SELECT * FROM storage_tasks WHERE production_id = :production_id ORDER BY id

-- name: find_asking_drafts
-- Whether a draft raised a change that waits, or that waited until an update made it.
SELECT EXISTS (
  SELECT 1 FROM script_changes WHERE production_id = :production_id AND draft_id IS NOT NULL AND (status = 'pending' OR superseded_by = draft_id))

-- name: script_moment
-- Another one after each change of the stored script.
SELECT concat(
  (SELECT max(id) FROM script_drafts WHERE production_id = :production_id), '/',
  (SELECT max(id) FROM change_sets WHERE production_id = :production_id))

-- name: last_moment
-- Another one after each event of the production.
SELECT max(
  ifnull((SELECT max(id) FROM events WHERE production_id = :production_id), 0),
  ifnull((SELECT id FROM event_floors WHERE production_id = :production_id), 0))

-- name: delete_sessions_as
-- Deletes the admin's sessions that look through the reach of an engagement.
DELETE FROM sessions WHERE production_id = :production_id AND seen_as = :id
