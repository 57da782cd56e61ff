-- The names that a thing had are looked up by the thing: the DISTINCT in former_labels made SQLite read the changes of the whole section for each.

DROP VIEW former_labels;
CREATE VIEW former_labels (section, thing, label) AS
SELECT section, thing,
  before ->> CASE section WHEN 'assets' THEN '$.label' WHEN 'deliveries' THEN '$.title' WHEN 'approvals' THEN '$.title' ELSE '$.name' END
FROM change_operations
WHERE field = '' AND after <> 'null' AND of_table IN ('nodes', 'people', 'deliveries', 'approvals', 'vendors', 'departments');

DROP VIEW searched_assets;
CREATE VIEW searched_assets (id, label, body, production_id) AS
SELECT n.id, n.label,
  concat_ws(' · ', n.kind, n.performer, (SELECT name FROM departments WHERE id = n.department_id), n.status,
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'assets' AND f.thing = n.id AND f.label <> n.label))),
  n.production_id
FROM nodes n WHERE n.kind <> 'scene';

DROP VIEW searched_people;
CREATE VIEW searched_people (id, label, body, production_id) AS
SELECT p.id, p.name,
  concat_ws(' · ', p.role, (SELECT name FROM departments WHERE id = p.department_id),
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'people' AND f.thing = p.id AND f.label <> p.name))),
  p.production_id
FROM people p;

DROP VIEW searched_deliveries;
CREATE VIEW searched_deliveries (id, label, body, production_id) AS
SELECT d.id, d.title,
  concat_ws(' · ', d.external_to, d.status, d.due,
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'deliveries' AND f.thing = d.id AND f.label <> d.title))),
  d.production_id
FROM deliveries d;

DROP VIEW searched_approvals;
CREATE VIEW searched_approvals (id, label, body, production_id) AS
SELECT a.id, a.title,
  concat_ws(' · ', replace(a.status, '_', ' '),
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'approvals' AND f.thing = a.id AND f.label <> a.title))),
  a.production_id
FROM approvals a;

DROP VIEW searched_vendors;
CREATE VIEW searched_vendors (id, label, body, production_id) AS
SELECT v.id, v.name,
  concat_ws(' · ', (SELECT group_concat(e.title, ', ' ORDER BY e.id) FROM engagements e WHERE e.vendor_id = v.id),
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'vendors' AND f.thing = v.id AND f.label <> v.name))),
  v.production_id
FROM vendors v;

DROP VIEW searched_departments;
CREATE VIEW searched_departments (id, label, body, production_id) AS
SELECT d.id, d.name,
  concat_ws(' · ', d.slug, nullif(d.mission, ''),
    (SELECT 'was ' || group_concat(label, ', ') FROM (SELECT DISTINCT f.label FROM former_labels f WHERE f.section = 'departments' AND f.thing = d.id AND f.label <> d.name))),
  d.production_id
FROM departments d;
