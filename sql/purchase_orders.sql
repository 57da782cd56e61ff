-- Order: purchase orders by date and id, cost report lines by account.

-- fragment: order_rows
jsonb_group_array(
      json_object('id', po.id, 'account', po.account, 'vendor', (SELECT name FROM vendors WHERE id = po.vendor_id),
        'description', po.description, 'amount', po.amount, 'status', po.status, 'date', po.date, 'department_id', po.department_id,
        'number', po.number, 'currency', po.currency)
      ORDER BY po.date, po.id)

-- fragment: line_rows
jsonb_group_array(
      jsonb_patch(l.figures, json_object('account', l.account, 'budget', l.budget)) ORDER BY l.account)

-- name: get_purchase_orders
WITH {{reach}},
-- granted: the departments whose money data the engagement may see; empty for a production-wide key
granted AS (SELECT DISTINCT department_id FROM money_departments),
report AS (SELECT id, week_of FROM cost_reports WHERE production_id = :production_id AND active = 1 AND EXISTS (SELECT 1 FROM granted))
SELECT json_object(
  'purchase_orders', (
    SELECT {{order_rows}}
    FROM purchase_orders po
    WHERE po.production_id = :production_id
      AND po.vendor_id = (SELECT vendor_id FROM engagements WHERE id = :engagement_id)
      AND po.department_id IN (SELECT department_id FROM granted)),
  'line', (
    SELECT {{line_rows}}
    FROM cost_report_lines l
    WHERE l.cost_report_id = (SELECT id FROM report) AND l.department_id IN (SELECT department_id FROM granted)),
  'week_of', (SELECT week_of FROM report))

-- name: list_orders
-- Every purchase order of the production, and every line of its active cost report.
WITH report AS (SELECT id, week_of FROM cost_reports WHERE production_id = :production_id AND active = 1)
SELECT json_object(
  'purchase_orders', (
    SELECT {{order_rows}}
    FROM purchase_orders po WHERE po.production_id = :production_id),
  'line', (
    SELECT {{line_rows}}
    FROM cost_report_lines l WHERE l.cost_report_id = (SELECT id FROM report)),
  'week_of', (SELECT week_of FROM report))
