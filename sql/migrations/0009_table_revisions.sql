-- How often the rows of a table changed, by production, so that the server keeps the answers that a commit cannot have changed.
-- Triggers count, so that no statement, no command and no other program can change a row without being counted. Not counted:
-- storage_events and asset_files, which no cached answer reads and which the storage agent writes all the time.

CREATE TABLE table_revisions (
  production_id INTEGER NOT NULL, -- 0: the table does not say to which production a row belongs
  part TEXT NOT NULL,             -- a table, or a column as table.column that is counted apart from its table
  revision INTEGER NOT NULL,
  PRIMARY KEY (production_id, part)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER count_productions_insert AFTER INSERT ON productions BEGIN
  INSERT INTO table_revisions VALUES (NEW.id, 'productions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_productions_update AFTER UPDATE ON productions BEGIN
  INSERT INTO table_revisions VALUES (OLD.id, 'productions', 1), (NEW.id, 'productions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_productions_delete AFTER DELETE ON productions BEGIN
  INSERT INTO table_revisions VALUES (OLD.id, 'productions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_episodes_insert AFTER INSERT ON episodes BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'episodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_episodes_update AFTER UPDATE ON episodes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'episodes', 1), (NEW.production_id, 'episodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_episodes_delete AFTER DELETE ON episodes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'episodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_departments_insert AFTER INSERT ON departments BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'departments', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_departments_update AFTER UPDATE ON departments BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'departments', 1), (NEW.production_id, 'departments', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_departments_delete AFTER DELETE ON departments BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'departments', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_people_insert AFTER INSERT ON people BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'people', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_people_update AFTER UPDATE ON people BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'people', 1), (NEW.production_id, 'people', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_people_delete AFTER DELETE ON people BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'people', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_nodes_insert AFTER INSERT ON nodes BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'nodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_nodes_update AFTER UPDATE ON nodes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'nodes', 1), (NEW.production_id, 'nodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_nodes_delete AFTER DELETE ON nodes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'nodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_scenes_insert AFTER INSERT ON scenes BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'scenes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_scenes_update AFTER UPDATE ON scenes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'scenes', 1), (NEW.production_id, 'scenes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_scenes_delete AFTER DELETE ON scenes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'scenes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_node_links_insert AFTER INSERT ON node_links BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'node_links', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_node_links_update AFTER UPDATE ON node_links BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'node_links', 1), (NEW.production_id, 'node_links', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_node_links_delete AFTER DELETE ON node_links BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'node_links', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_versions_insert AFTER INSERT ON versions BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'versions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_versions_update AFTER UPDATE ON versions BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'versions', 1), (NEW.production_id, 'versions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_versions_delete AFTER DELETE ON versions BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'versions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_ingredients_insert AFTER INSERT ON ingredients BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'ingredients', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_ingredients_update AFTER UPDATE ON ingredients BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'ingredients', 1), (NEW.production_id, 'ingredients', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_ingredients_delete AFTER DELETE ON ingredients BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'ingredients', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_version_ingredients_insert AFTER INSERT ON version_ingredients BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'version_ingredients', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_version_ingredients_update AFTER UPDATE ON version_ingredients BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'version_ingredients', 1), (NEW.production_id, 'version_ingredients', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_version_ingredients_delete AFTER DELETE ON version_ingredients BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'version_ingredients', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_shoot_days_insert AFTER INSERT ON shoot_days BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'shoot_days', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_shoot_days_update AFTER UPDATE ON shoot_days BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'shoot_days', 1), (NEW.production_id, 'shoot_days', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_shoot_days_delete AFTER DELETE ON shoot_days BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'shoot_days', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_strips_insert AFTER INSERT ON strips BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'strips', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_strips_update AFTER UPDATE ON strips BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'strips', 1), (NEW.production_id, 'strips', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_strips_delete AFTER DELETE ON strips BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'strips', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_deliveries_insert AFTER INSERT ON deliveries BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'deliveries', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_deliveries_update AFTER UPDATE ON deliveries BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'deliveries', 1), (NEW.production_id, 'deliveries', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_deliveries_delete AFTER DELETE ON deliveries BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'deliveries', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_delivery_nodes_insert AFTER INSERT ON delivery_nodes BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'delivery_nodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_delivery_nodes_update AFTER UPDATE ON delivery_nodes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'delivery_nodes', 1), (NEW.production_id, 'delivery_nodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_delivery_nodes_delete AFTER DELETE ON delivery_nodes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'delivery_nodes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_approvals_insert AFTER INSERT ON approvals BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'approvals', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_approvals_update AFTER UPDATE ON approvals BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'approvals', 1), (NEW.production_id, 'approvals', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_approvals_delete AFTER DELETE ON approvals BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'approvals', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_approval_steps_insert AFTER INSERT ON approval_steps BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'approval_steps', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_approval_steps_update AFTER UPDATE ON approval_steps BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'approval_steps', 1), (NEW.production_id, 'approval_steps', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_approval_steps_delete AFTER DELETE ON approval_steps BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'approval_steps', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_former_steps_insert AFTER INSERT ON former_steps BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'former_steps', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_former_steps_update AFTER UPDATE ON former_steps BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'former_steps', 1), (NEW.production_id, 'former_steps', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_former_steps_delete AFTER DELETE ON former_steps BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'former_steps', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_department_notes_insert AFTER INSERT ON department_notes BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'department_notes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_department_notes_update AFTER UPDATE ON department_notes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'department_notes', 1), (NEW.production_id, 'department_notes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_department_notes_delete AFTER DELETE ON department_notes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'department_notes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_notes_insert AFTER INSERT ON notes BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'notes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_notes_update AFTER UPDATE ON notes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'notes', 1), (NEW.production_id, 'notes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_notes_delete AFTER DELETE ON notes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'notes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_vendors_insert AFTER INSERT ON vendors BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'vendors', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_vendors_update AFTER UPDATE ON vendors BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'vendors', 1), (NEW.production_id, 'vendors', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_vendors_delete AFTER DELETE ON vendors BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'vendors', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_purchase_orders_insert AFTER INSERT ON purchase_orders BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'purchase_orders', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_purchase_orders_update AFTER UPDATE ON purchase_orders BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'purchase_orders', 1), (NEW.production_id, 'purchase_orders', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_purchase_orders_delete AFTER DELETE ON purchase_orders BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'purchase_orders', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_cost_reports_insert AFTER INSERT ON cost_reports BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'cost_reports', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_cost_reports_update AFTER UPDATE ON cost_reports BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'cost_reports', 1), (NEW.production_id, 'cost_reports', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_cost_reports_delete AFTER DELETE ON cost_reports BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'cost_reports', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_cost_report_lines_insert AFTER INSERT ON cost_report_lines BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'cost_report_lines', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_cost_report_lines_update AFTER UPDATE ON cost_report_lines BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'cost_report_lines', 1), (NEW.production_id, 'cost_report_lines', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_cost_report_lines_delete AFTER DELETE ON cost_report_lines BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'cost_report_lines', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_script_changes_insert AFTER INSERT ON script_changes BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'script_changes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_script_changes_update AFTER UPDATE ON script_changes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'script_changes', 1), (NEW.production_id, 'script_changes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_script_changes_delete AFTER DELETE ON script_changes BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'script_changes', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_jobs_insert AFTER INSERT ON jobs BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'jobs', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_jobs_update AFTER UPDATE ON jobs BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'jobs', 1), (NEW.production_id, 'jobs', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_jobs_delete AFTER DELETE ON jobs BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'jobs', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_activity_insert AFTER INSERT ON activity BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'activity', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_activity_update AFTER UPDATE ON activity BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'activity', 1), (NEW.production_id, 'activity', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_activity_delete AFTER DELETE ON activity BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'activity', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_engagements_insert AFTER INSERT ON engagements BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'engagements', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_engagements_update AFTER UPDATE ON engagements BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'engagements', 1), (NEW.production_id, 'engagements', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_engagements_delete AFTER DELETE ON engagements BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'engagements', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_grants_insert AFTER INSERT ON grants BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'grants', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_grants_update AFTER UPDATE ON grants BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'grants', 1), (NEW.production_id, 'grants', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_grants_delete AFTER DELETE ON grants BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'grants', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_api_keys_insert AFTER INSERT ON api_keys BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'api_keys', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
-- last_used_at is counted apart, because it is written at every use and only lists of keys show it.
CREATE TRIGGER count_api_keys_update AFTER UPDATE OF production_id, engagement_id, person_id, label, prefix, token_sha256, scopes, created_at, expires_at, revoked_at ON api_keys BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'api_keys', 1), (NEW.production_id, 'api_keys', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_api_keys_use AFTER UPDATE OF last_used_at ON api_keys BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'api_keys.last_used_at', 1), (NEW.production_id, 'api_keys.last_used_at', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_api_keys_delete AFTER DELETE ON api_keys BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'api_keys', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_submissions_insert AFTER INSERT ON submissions BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'submissions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_submissions_update AFTER UPDATE ON submissions BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'submissions', 1), (NEW.production_id, 'submissions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_submissions_delete AFTER DELETE ON submissions BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'submissions', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_storage_installs_insert AFTER INSERT ON storage_installs BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'storage_installs', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_storage_installs_update AFTER UPDATE ON storage_installs BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'storage_installs', 1), (NEW.production_id, 'storage_installs', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_storage_installs_delete AFTER DELETE ON storage_installs BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'storage_installs', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_storage_tasks_insert AFTER INSERT ON storage_tasks BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'storage_tasks', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_storage_tasks_update AFTER UPDATE ON storage_tasks BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'storage_tasks', 1), (NEW.production_id, 'storage_tasks', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_storage_tasks_delete AFTER DELETE ON storage_tasks BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'storage_tasks', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_media_insert AFTER INSERT ON media BEGIN
  INSERT INTO table_revisions VALUES (NEW.production_id, 'media', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_media_update AFTER UPDATE ON media BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'media', 1), (NEW.production_id, 'media', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_media_delete AFTER DELETE ON media BEGIN
  INSERT INTO table_revisions VALUES (OLD.production_id, 'media', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER count_oauth_tokens_insert AFTER INSERT ON oauth_tokens BEGIN
  INSERT INTO table_revisions VALUES (0, 'oauth_tokens', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_oauth_tokens_update AFTER UPDATE ON oauth_tokens BEGIN
  INSERT INTO table_revisions VALUES (0, 'oauth_tokens', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER count_oauth_tokens_delete AFTER DELETE ON oauth_tokens BEGIN
  INSERT INTO table_revisions VALUES (0, 'oauth_tokens', 1)
  ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
