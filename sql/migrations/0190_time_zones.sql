-- The time zone of a production and of a shoot day, an IANA name: null is the server's, and that of the day's production.
ALTER TABLE productions ADD COLUMN time_zone TEXT;
ALTER TABLE shoot_days ADD COLUMN time_zone TEXT;
