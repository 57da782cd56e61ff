-- Import and export of production documents. Imported rows get ids in the order of the document.
-- The inserts have positional parameters: binding by name would take a third of the time, and a document may have a million rows.

-- name: import_last_ids
SELECT
  (SELECT ifnull(max(id), 0) FROM productions) AS productions,
  (SELECT ifnull(max(id), 0) FROM episodes) AS episodes,
  (SELECT ifnull(max(id), 0) FROM departments) AS departments,
  (SELECT ifnull(max(id), 0) FROM people) AS people,
  (SELECT ifnull(max(id), 0) FROM nodes) AS nodes,
  (SELECT ifnull(max(id), 0) FROM versions) AS versions,
  (SELECT ifnull(max(id), 0) FROM ingredients) AS ingredients,
  (SELECT ifnull(max(id), 0) FROM shoot_days) AS shoot_days,
  (SELECT ifnull(max(id), 0) FROM vendors) AS vendors,
  (SELECT ifnull(max(id), 0) FROM engagements) AS engagements,
  (SELECT ifnull(max(id), 0) FROM grants) AS grants,
  (SELECT ifnull(max(id), 0) FROM deliveries) AS deliveries,
  (SELECT ifnull(max(id), 0) FROM submissions) AS submissions,
  (SELECT ifnull(max(id), 0) FROM approvals) AS approvals,
  (SELECT ifnull(max(id), 0) FROM department_notes) AS department_notes,
  (SELECT ifnull(max(id), 0) FROM notes) AS notes,
  (SELECT ifnull(max(id), 0) FROM purchase_orders) AS purchase_orders,
  (SELECT ifnull(max(id), 0) FROM cost_reports) AS cost_reports,
  (SELECT ifnull(max(id), 0) FROM cost_report_lines) AS cost_report_lines,
  (SELECT ifnull(max(id), 0) FROM script_changes) AS script_changes,
  (SELECT ifnull(max(id), 0) FROM jobs) AS jobs,
  (SELECT ifnull(max(id), 0) FROM activity) AS activity,
  (SELECT ifnull(max(id), 0) FROM storage_installs) AS storage_installs,
  (SELECT ifnull(max(id), 0) FROM asset_files) AS asset_files,
  (SELECT ifnull(max(id), 0) FROM storage_tasks) AS storage_tasks

-- name: import_find_title
SELECT id FROM productions WHERE title = :title COLLATE NOCASE

-- name: import_production
INSERT INTO productions (id, title, logline, status, phase, accent, format, season_number, current_episode_id, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_episode
INSERT INTO episodes (id, production_id, code, title, position) VALUES (?, ?, ?, ?, ?)

-- name: import_department
INSERT INTO departments (id, production_id, slug, name, cluster, phases, mission, key_roles, privacy, unveiled, registry)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_person
INSERT INTO people (id, production_id, name, role, department_id, is_hod, is_admin) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: import_node
INSERT INTO nodes (id, production_id, kind, label, status, department_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_scene
INSERT INTO scenes (node_id, production_id, episode_id, number, slugline, synopsis, revision_color, elements, script_order)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_node_link
INSERT INTO node_links (production_id, from_node_id, to_node_id) VALUES (?, ?, ?)

-- name: import_ingredient
INSERT INTO ingredients (id, production_id, kind, label) VALUES (?, ?, ?, ?)

-- name: import_version
INSERT INTO versions (id, production_id, node_id, version, variant, status, note, created_by, created_by_person_id, archived, released, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_version_ingredient
INSERT INTO version_ingredients (production_id, version_id, ingredient_id, relation) VALUES (?, ?, ?, ?)

-- name: import_shoot_day
INSERT INTO shoot_days (id, production_id, day_number, date, general_call, status) VALUES (?, ?, ?, ?, ?, ?)

-- name: import_strip
INSERT INTO strips (production_id, shoot_day_id, node_id, position) VALUES (?, ?, ?, ?)

-- name: import_vendor
INSERT INTO vendors (id, production_id, name) VALUES (?, ?, ?)

-- name: import_engagement
INSERT INTO engagements (id, production_id, vendor_id, title, created_at, ended_at) VALUES (?, ?, ?, ?, ?, ?)

-- name: import_grant
INSERT INTO grants (id, production_id, engagement_id, verb, node_id, department_id, delivery_id, created_at, expires_at, revoked_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_delivery
INSERT INTO deliveries (id, production_id, title, status, kind, due, external_to, from_department_id, to_department_id, spec, sent_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_delivery_node
INSERT INTO delivery_nodes (production_id, delivery_id, node_id) VALUES (?, ?, ?)

-- name: import_submission
INSERT INTO submissions (id, production_id, delivery_id, engagement_id, status, title, note, created_by, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_approval
INSERT INTO approvals (id, production_id, title, status, mode, due, node_id, delivery_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_approval_step
INSERT INTO approval_steps (production_id, approval_id, position, person_id, status, decided_at, note, decided_by_person_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: import_department_note
INSERT INTO department_notes (id, production_id, department_id, node_id, summary, created_at) VALUES (?, ?, ?, ?, ?, ?)

-- name: import_note
INSERT INTO notes (id, production_id, node_id, version_id, text, author, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: import_purchase_order
INSERT INTO purchase_orders (id, production_id, account, vendor_id, description, amount, status, date, department_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

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

-- name: export_episode_names
SELECT id, code AS name FROM episodes WHERE production_id = :production_id

-- name: export_department_names
SELECT id, slug AS name FROM departments WHERE production_id = :production_id

-- name: export_person_names
SELECT id, name FROM people WHERE production_id = :production_id

-- name: export_vendor_names
SELECT id, name FROM vendors WHERE production_id = :production_id ORDER BY id

-- name: export_scene_names
SELECT s.node_id AS id, s.number, e.code AS episode
FROM scenes s LEFT JOIN episodes e ON e.id = s.episode_id
WHERE s.production_id = :production_id

-- name: export_asset_names
SELECT id, label FROM nodes WHERE production_id = :production_id AND kind <> 'scene' ORDER BY id

-- name: export_ingredient_names
SELECT id, label FROM ingredients WHERE production_id = :production_id ORDER BY id

-- name: export_engagement_names
SELECT id, title AS label FROM engagements WHERE production_id = :production_id ORDER BY id

-- name: export_delivery_names
SELECT id, title AS label FROM deliveries WHERE production_id = :production_id ORDER BY id

-- name: export_media
SELECT m.version_id, m.delivery_id, m.work_item_id, m.ingredient_id, m.asset_file_id,
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
SELECT n.id, s.number, e.code AS episode, s.slugline, s.synopsis, n.status, s.revision_color, s.elements, n.created_at, n.updated_at
FROM scenes s JOIN nodes n ON n.id = s.node_id LEFT JOIN episodes e ON e.id = s.episode_id
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
SELECT * FROM approvals WHERE production_id = :production_id ORDER BY id

-- name: export_approval_steps
SELECT * FROM approval_steps WHERE production_id = :production_id ORDER BY approval_id, position

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
