-- What is old is found by its time: the dates of a clock that was wrong for a while are in no order of the ids.
CREATE INDEX events_created ON events (created_at);                 -- the events that are too old
CREATE INDEX activity_created ON activity (created_at);             -- the entries that are too old
CREATE INDEX audit_created ON audit (created_at);                   -- the entries that are too old
CREATE INDEX storage_events_received ON storage_events (received_at); -- the storage events that are too old
