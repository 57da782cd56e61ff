-- Webhooks and their deliveries. Order: webhooks oldest first, deliveries newest first.

-- name: create_webhook
INSERT INTO webhooks (production_id, url, types, secret, position, created_at)
VALUES (:production_id, :url, :types, :secret, :position, :now)

-- fragment: webhook_row
SELECT id, production_id, url, types, secret, former_secret, former_until, paused_at, pause_reason, position, tries,
  refusals, replayed, next_try_at, created_at, (SELECT count(*) FROM webhook_set_aside WHERE webhook_id = webhooks.id) AS set_aside
FROM webhooks

-- name: list_webhooks
{{webhook_row}}
WHERE :production_id IS NULL OR production_id = :production_id
ORDER BY id

-- name: get_webhook
{{webhook_row}}
WHERE id = :id

-- name: get_webhook_backlog
-- Looks at a bounded part of the log, because a receiver may be away for as long as events are kept.
SELECT count(*) AS backlog, min(created_at) AS oldest FROM
  (SELECT type, created_at FROM events WHERE production_id = :production_id AND id > :position ORDER BY id LIMIT :window)
WHERE :types IS NULL OR type IN (SELECT value FROM json_each(:types))

-- name: list_due_webhooks
SELECT id FROM webhooks WHERE paused_at IS NULL AND (next_try_at IS NULL OR next_try_at <= :now) ORDER BY id

-- name: settle_webhook
-- Moves the position. Changes nothing if it was moved or other types were chosen meanwhile, because events before it
-- may be of those.
UPDATE webhooks SET position = :position, tries = 0, refusals = 0, next_try_at = NULL
WHERE id = :id AND position = :former AND types IS :types

-- name: postpone_webhook
UPDATE webhooks SET tries = :tries, refusals = :refusals, next_try_at = :next_try_at WHERE id = :id AND position = :former

-- name: pause_webhook
UPDATE webhooks SET paused_at = :now, pause_reason = :reason WHERE id = :id AND paused_at IS NULL

-- name: pause_webhooks
UPDATE webhooks SET paused_at = :now, pause_reason = :reason WHERE paused_at IS NULL

-- name: resume_webhook
UPDATE webhooks SET paused_at = NULL, pause_reason = NULL, tries = 0, refusals = 0, next_try_at = NULL WHERE id = :id

-- name: update_webhook
UPDATE webhooks SET url = :url, types = :types WHERE id = :id

-- name: move_webhook
UPDATE webhooks SET position = :position, tries = 0, refusals = 0, next_try_at = NULL WHERE id = :id

-- name: set_aside_event
INSERT OR REPLACE INTO webhook_set_aside (event_id, webhook_id, tries, status, reason, set_aside_at)
VALUES (:event_id, :webhook_id, :tries, :status, :reason, :now)

-- name: list_set_aside_events
SELECT s.event_id AS place,
  json_object('event_id', s.event_id, 'type', e.type, 'tries', s.tries, 'status', s.status, 'reason', s.reason, 'set_aside_at', s.set_aside_at) AS document
FROM webhook_set_aside s JOIN events e ON e.id = s.event_id
WHERE s.webhook_id = (SELECT id FROM webhooks WHERE id = :id AND production_id = :production_id) AND s.event_id > coalesce(:after, 0) ORDER BY s.event_id LIMIT :limit

-- name: get_next_set_aside_event
SELECT s.event_id, s.tries FROM webhook_set_aside s JOIN events e ON e.id = s.event_id
WHERE s.webhook_id = :webhook_id AND s.event_id > :after ORDER BY s.event_id LIMIT 1

-- name: delete_set_aside_event
DELETE FROM webhook_set_aside WHERE webhook_id = :webhook_id AND event_id = :event_id

-- name: replay_set_aside_events
-- The next event is tried at once too.
UPDATE webhooks SET replayed = :replayed, next_try_at = NULL WHERE id = :id

-- name: rotate_webhook
UPDATE webhooks SET former_secret = secret, former_until = :former_until, secret = :secret WHERE id = :id

-- name: delete_webhook
DELETE FROM webhooks WHERE id = :id

-- name: record_delivery
INSERT INTO webhook_deliveries
  (webhook_id, event_id, type, try, outcome, status, reason, milliseconds, created_at, next_try_at)
VALUES (:webhook_id, :event_id, :type, :try, :outcome, :status, :reason, :milliseconds, :now, :next_try_at)

-- name: delete_old_deliveries
DELETE FROM webhook_deliveries WHERE webhook_id = :webhook_id AND id <=
  (SELECT id FROM webhook_deliveries WHERE webhook_id = :webhook_id ORDER BY id DESC LIMIT 1 OFFSET :kept)

-- name: list_webhook_deliveries
SELECT id AS place,
  json_object('id', id, 'event_id', event_id, 'type', type, 'try', try, 'outcome', outcome, 'status', status, 'reason', reason,
    'milliseconds', milliseconds, 'created_at', created_at, 'next_try_at', next_try_at) AS document
FROM webhook_deliveries
WHERE webhook_id = (SELECT id FROM webhooks WHERE id = :id AND production_id = :production_id) AND id < coalesce(:after, 9e18) ORDER BY id DESC LIMIT :limit
