-- An id is never given twice: the highest id of a table stays in last_ids when its row is removed, whoever removes it. Tables with
-- AUTOINCREMENT keep it themselves.

CREATE TRIGGER keep_last_id_productions AFTER DELETE ON productions WHEN NOT EXISTS (SELECT 1 FROM productions WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('productions', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_episodes AFTER DELETE ON episodes WHEN NOT EXISTS (SELECT 1 FROM episodes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('episodes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_departments AFTER DELETE ON departments WHEN NOT EXISTS (SELECT 1 FROM departments WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('departments', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_people AFTER DELETE ON people WHEN NOT EXISTS (SELECT 1 FROM people WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('people', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_nodes AFTER DELETE ON nodes WHEN NOT EXISTS (SELECT 1 FROM nodes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('nodes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_versions AFTER DELETE ON versions WHEN NOT EXISTS (SELECT 1 FROM versions WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('versions', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_ingredients AFTER DELETE ON ingredients WHEN NOT EXISTS (SELECT 1 FROM ingredients WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('ingredients', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_shoot_days AFTER DELETE ON shoot_days WHEN NOT EXISTS (SELECT 1 FROM shoot_days WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('shoot_days', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_deliveries AFTER DELETE ON deliveries WHEN NOT EXISTS (SELECT 1 FROM deliveries WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('deliveries', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_approvals AFTER DELETE ON approvals WHEN NOT EXISTS (SELECT 1 FROM approvals WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('approvals', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_department_notes AFTER DELETE ON department_notes WHEN NOT EXISTS (SELECT 1 FROM department_notes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('department_notes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_notes AFTER DELETE ON notes WHEN NOT EXISTS (SELECT 1 FROM notes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('notes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_vendors AFTER DELETE ON vendors WHEN NOT EXISTS (SELECT 1 FROM vendors WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('vendors', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_purchase_orders AFTER DELETE ON purchase_orders WHEN NOT EXISTS (SELECT 1 FROM purchase_orders WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('purchase_orders', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_cost_reports AFTER DELETE ON cost_reports WHEN NOT EXISTS (SELECT 1 FROM cost_reports WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('cost_reports', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_cost_report_lines AFTER DELETE ON cost_report_lines WHEN NOT EXISTS (SELECT 1 FROM cost_report_lines WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('cost_report_lines', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_script_changes AFTER DELETE ON script_changes WHEN NOT EXISTS (SELECT 1 FROM script_changes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('script_changes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_jobs AFTER DELETE ON jobs WHEN NOT EXISTS (SELECT 1 FROM jobs WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('jobs', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_activity AFTER DELETE ON activity WHEN NOT EXISTS (SELECT 1 FROM activity WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('activity', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_engagements AFTER DELETE ON engagements WHEN NOT EXISTS (SELECT 1 FROM engagements WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('engagements', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_grants AFTER DELETE ON grants WHEN NOT EXISTS (SELECT 1 FROM grants WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('grants', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_api_keys AFTER DELETE ON api_keys WHEN NOT EXISTS (SELECT 1 FROM api_keys WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('api_keys', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_submissions AFTER DELETE ON submissions WHEN NOT EXISTS (SELECT 1 FROM submissions WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('submissions', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_storage_installs AFTER DELETE ON storage_installs WHEN NOT EXISTS (SELECT 1 FROM storage_installs WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('storage_installs', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_asset_files AFTER DELETE ON asset_files WHEN NOT EXISTS (SELECT 1 FROM asset_files WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('asset_files', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_oauth_clients AFTER DELETE ON oauth_clients WHEN NOT EXISTS (SELECT 1 FROM oauth_clients WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('oauth_clients', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_audit AFTER DELETE ON audit WHEN NOT EXISTS (SELECT 1 FROM audit WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('audit', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_storage_events AFTER DELETE ON storage_events WHEN NOT EXISTS (SELECT 1 FROM storage_events WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('storage_events', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_storage_tasks AFTER DELETE ON storage_tasks WHEN NOT EXISTS (SELECT 1 FROM storage_tasks WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('storage_tasks', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_sessions AFTER DELETE ON sessions WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('sessions', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_script_drafts AFTER DELETE ON script_drafts WHEN NOT EXISTS (SELECT 1 FROM script_drafts WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('script_drafts', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
CREATE TRIGGER keep_last_id_script_scenes AFTER DELETE ON script_scenes WHEN NOT EXISTS (SELECT 1 FROM script_scenes WHERE id > OLD.id) BEGIN
  INSERT INTO last_ids VALUES ('script_scenes', OLD.id) ON CONFLICT (part) DO UPDATE SET id = max(id, excluded.id);
END;
