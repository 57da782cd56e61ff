-- The manifest of a bound key lists the media of its engagement's submissions.
CREATE INDEX submissions_engagement ON submissions (engagement_id); -- list_reached_media
