-- Purchase orders and cost reports: the activity, the events and the summaries of the history say only how many changed, also of what was recorded before.
UPDATE events SET data = '{"key":null,"fields":{}}' WHERE subject_kind IN ('purchase_order', 'cost_report');
UPDATE activity SET summary = iif(verb = 'purchase_orders.imported', 'Purchase orders', 'Cost reports') || ': changed'
WHERE verb IN ('purchase_orders.imported', 'cost_reports.imported');
UPDATE activity SET summary = iif(verb = 'purchase_orders.imported', 'Purchase orders', 'Cost reports') || ': ' || counted.number || ' changed'
FROM (
  SELECT activity_id, count(*) AS number FROM events WHERE subject_kind IN ('purchase_order', 'cost_report') GROUP BY activity_id) counted
WHERE activity.id = counted.activity_id AND verb IN ('purchase_orders.imported', 'cost_reports.imported');
UPDATE change_sets SET summary = iif(undoes IS NULL, '', 'Undid: ') || (
  SELECT group_concat(upper(substr(section, 1, 1)) || replace(substr(section, 2), '_', ' ') || ': ' || number || ' changed', '. ')
  FROM (
    SELECT c.value ->> '$.section' AS section, count(*) AS number, min(c.key) AS first
    FROM json_each(changes) c GROUP BY 1 ORDER BY first))
WHERE (instr(changes, '"section":"purchase_orders"') > 0 OR instr(changes, '"section":"cost_reports"') > 0)
  AND EXISTS (SELECT 1 FROM json_each(changes) c WHERE c.value ->> '$.section' IN ('purchase_orders', 'cost_reports'));
