-- Events that a webhook's receiver does not accept are set aside until an admin replays them, and the events behind them go on.

ALTER TABLE webhooks ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0; -- those of the tries that the receiver answered with a 4xx
ALTER TABLE webhooks ADD COLUMN replayed INTEGER; -- while what is set aside is replayed: the id of the last event that was tried again

CREATE TABLE webhook_set_aside (
  event_id INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  tries INTEGER NOT NULL,
  status INTEGER, -- of the last answer; NULL: there was none
  reason TEXT NOT NULL,
  set_aside_at TEXT NOT NULL,
  PRIMARY KEY (event_id, webhook_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_set_aside_webhook ON webhook_set_aside (webhook_id, event_id); -- the next event to replay
