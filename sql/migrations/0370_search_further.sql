-- The search also finds vendors (5), purchase orders (6) and departments (7), shoot days by their location, scenes by their background, and assets,
-- people, vendors, deliveries, approvals and departments by the names that they had.

DROP VIEW searched_scenes;
CREATE VIEW searched_scenes (id, label, body, production_id) AS
SELECT s.node_id,
  ifnull((SELECT code FROM episodes WHERE id = s.episode_id) || '/', '') || s.number || ' ' || s.slugline,
  concat_ws(' · ', s.synopsis,
    (SELECT group_concat(value, ', ') FROM json_each(s.elements, '$.cast') WHERE type = 'text'),
    (SELECT group_concat(c.label, ', ') FROM node_links l JOIN nodes c ON c.id = l.to_node_id
     WHERE l.from_node_id = s.node_id AND c.kind = 'character'),
    (SELECT group_concat(iif(typeof(key) = 'text', key, atom), ', ') FROM json_each(s.elements, '$.background')),
    iif(n.status = 'omitted', 'omitted', NULL), s.revision_color),
  n.production_id
FROM scenes s JOIN nodes n ON n.id = s.node_id;

-- What changes recorded as the former names of things.
CREATE VIEW former_labels (section, thing, label) AS
SELECT DISTINCT section, thing,
  before ->> CASE section WHEN 'assets' THEN '$.label' WHEN 'deliveries' THEN '$.title' WHEN 'approvals' THEN '$.title' ELSE '$.name' END
FROM change_operations
WHERE field = '' AND after <> 'null' AND of_table IN ('nodes', 'people', 'deliveries', 'approvals', 'vendors', 'departments');

DROP VIEW searched_assets;
CREATE VIEW searched_assets (id, label, body, production_id) AS
SELECT n.id, n.label,
  concat_ws(' · ', n.kind, n.performer, (SELECT name FROM departments WHERE id = n.department_id), n.status,
    (SELECT 'was ' || group_concat(f.label, ', ') FROM former_labels f WHERE f.section = 'assets' AND f.thing = n.id AND f.label <> n.label)),
  n.production_id
FROM nodes n WHERE n.kind <> 'scene';

DROP VIEW searched_people;
CREATE VIEW searched_people (id, label, body, production_id) AS
SELECT p.id, p.name,
  concat_ws(' · ', p.role, (SELECT name FROM departments WHERE id = p.department_id),
    (SELECT 'was ' || group_concat(f.label, ', ') FROM former_labels f WHERE f.section = 'people' AND f.thing = p.id AND f.label <> p.name)),
  p.production_id
FROM people p;

DROP VIEW searched_deliveries;
CREATE VIEW searched_deliveries (id, label, body, production_id) AS
SELECT d.id, d.title,
  concat_ws(' · ', d.external_to, d.status, d.due,
    (SELECT 'was ' || group_concat(f.label, ', ') FROM former_labels f WHERE f.section = 'deliveries' AND f.thing = d.id AND f.label <> d.title)),
  d.production_id
FROM deliveries d;

DROP VIEW searched_approvals;
CREATE VIEW searched_approvals (id, label, body, production_id) AS
SELECT a.id, a.title,
  concat_ws(' · ', replace(a.status, '_', ' '),
    (SELECT 'was ' || group_concat(f.label, ', ') FROM former_labels f WHERE f.section = 'approvals' AND f.thing = a.id AND f.label <> a.title)),
  a.production_id
FROM approvals a;

DROP VIEW searched_shoot_days;
CREATE VIEW searched_shoot_days (id, label, body, production_id) AS
SELECT d.id, iif(d.unit = '', 'Day', d.unit) || ' ' || d.day_number, concat_ws(' · ', d.date, d.location, d.general_call, d.status), d.production_id
FROM shoot_days d;

CREATE VIEW searched_vendors (id, label, body, production_id) AS
SELECT v.id, v.name,
  concat_ws(' · ', (SELECT group_concat(e.title, ', ' ORDER BY e.id) FROM engagements e WHERE e.vendor_id = v.id),
    (SELECT 'was ' || group_concat(f.label, ', ') FROM former_labels f WHERE f.section = 'vendors' AND f.thing = v.id AND f.label <> v.name)),
  v.production_id
FROM vendors v;

CREATE VIEW searched_purchase_orders (id, label, body, production_id) AS
SELECT o.id, ifnull(o.number, o.description),
  concat_ws(' · ', iif(o.number IS NULL, NULL, o.description), (SELECT name FROM vendors WHERE id = o.vendor_id),
    (SELECT name FROM departments WHERE id = o.department_id), o.status, o.date),
  o.production_id
FROM purchase_orders o;

CREATE VIEW searched_departments (id, label, body, production_id) AS
SELECT d.id, d.name,
  concat_ws(' · ', d.slug, nullif(d.mission, ''),
    (SELECT 'was ' || group_concat(f.label, ', ') FROM former_labels f WHERE f.section = 'departments' AND f.thing = d.id AND f.label <> d.name)),
  d.production_id
FROM departments d;

DROP TRIGGER search_shoot_days_update;
CREATE TRIGGER search_shoot_days_update AFTER UPDATE OF day_number, unit, date, location, general_call, status ON shoot_days
WHEN (OLD.day_number, OLD.unit, OLD.date, OLD.location, OLD.general_call, OLD.status)
  IS NOT (NEW.day_number, NEW.unit, NEW.date, NEW.location, NEW.general_call, NEW.status) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 4) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_vendors_insert AFTER INSERT ON vendors BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 5) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_vendors_update AFTER UPDATE OF name ON vendors WHEN OLD.name IS NOT NEW.name BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 5) ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 + 6 FROM purchase_orders WHERE vendor_id = NEW.id ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_vendors_delete AFTER DELETE ON vendors BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 5) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_engagements_insert AFTER INSERT ON engagements BEGIN
  INSERT INTO search_changes VALUES (NEW.vendor_id * 10 + 5) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_engagements_update AFTER UPDATE OF title, vendor_id ON engagements
WHEN (OLD.title, OLD.vendor_id) IS NOT (NEW.title, NEW.vendor_id) BEGIN
  INSERT INTO search_changes SELECT OLD.vendor_id * 10 + 5 UNION SELECT NEW.vendor_id * 10 + 5 ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_engagements_delete AFTER DELETE ON engagements BEGIN
  INSERT INTO search_changes VALUES (OLD.vendor_id * 10 + 5) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_purchase_orders_insert AFTER INSERT ON purchase_orders BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 6) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_purchase_orders_update AFTER UPDATE OF number, description, vendor_id, department_id, status, date ON purchase_orders
WHEN (OLD.number, OLD.description, OLD.vendor_id, OLD.department_id, OLD.status, OLD.date)
  IS NOT (NEW.number, NEW.description, NEW.vendor_id, NEW.department_id, NEW.status, NEW.date) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 6) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_purchase_orders_delete AFTER DELETE ON purchase_orders BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 6) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_departments_insert AFTER INSERT ON departments BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 7) ON CONFLICT DO NOTHING;
END;
DROP TRIGGER search_departments_update;
CREATE TRIGGER search_departments_update AFTER UPDATE OF name, slug, mission ON departments
WHEN (OLD.name, OLD.slug, OLD.mission) IS NOT (NEW.name, NEW.slug, NEW.mission) BEGIN
  INSERT INTO search_changes VALUES (NEW.id * 10 + 7) ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 FROM nodes WHERE department_id = NEW.id AND OLD.name IS NOT NEW.name ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 + 1 FROM people WHERE department_id = NEW.id AND OLD.name IS NOT NEW.name ON CONFLICT DO NOTHING;
  INSERT INTO search_changes SELECT id * 10 + 6 FROM purchase_orders WHERE department_id = NEW.id AND OLD.name IS NOT NEW.name ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_departments_delete AFTER DELETE ON departments BEGIN
  INSERT INTO search_changes VALUES (OLD.id * 10 + 7) ON CONFLICT DO NOTHING;
END;

-- A name that is erased, or kept no longer, finds nothing.
CREATE TRIGGER search_former_update AFTER UPDATE OF before ON change_operations
WHEN OLD.of_table IN ('nodes', 'people', 'deliveries', 'approvals', 'vendors', 'departments') AND coalesce(OLD.before ->> '$.label', OLD.before ->> '$.title', OLD.before ->> '$.name') IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (OLD.thing * 10 + CASE OLD.section WHEN 'assets' THEN 0 WHEN 'people' THEN 1 WHEN 'deliveries' THEN 2 WHEN 'approvals' THEN 3 WHEN 'vendors' THEN 5 ELSE 7 END) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_former_delete AFTER DELETE ON change_operations
WHEN OLD.of_table IN ('nodes', 'people', 'deliveries', 'approvals', 'vendors', 'departments') AND coalesce(OLD.before ->> '$.label', OLD.before ->> '$.title', OLD.before ->> '$.name') IS NOT NULL BEGIN
  INSERT INTO search_changes VALUES (OLD.thing * 10 + CASE OLD.section WHEN 'assets' THEN 0 WHEN 'people' THEN 1 WHEN 'deliveries' THEN 2 WHEN 'approvals' THEN 3 WHEN 'vendors' THEN 5 ELSE 7 END) ON CONFLICT DO NOTHING;
END;

INSERT OR IGNORE INTO search_changes
SELECT node_id * 10 FROM scenes WHERE json_type(elements, '$.background') IS NOT NULL
UNION ALL SELECT id * 10 + 4 FROM shoot_days WHERE location IS NOT NULL
UNION ALL SELECT id * 10 + 5 FROM vendors
UNION ALL SELECT id * 10 + 6 FROM purchase_orders
UNION ALL SELECT id * 10 + 7 FROM departments
UNION ALL SELECT thing * 10 FROM former_labels WHERE section = 'assets' AND label IS NOT NULL
UNION ALL SELECT thing * 10 + 1 FROM former_labels WHERE section = 'people' AND label IS NOT NULL
UNION ALL SELECT thing * 10 + 2 FROM former_labels WHERE section = 'deliveries' AND label IS NOT NULL
UNION ALL SELECT thing * 10 + 3 FROM former_labels WHERE section = 'approvals' AND label IS NOT NULL;
