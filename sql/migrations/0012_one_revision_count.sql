-- The triggers of table_revisions count every table that an export shows, except asset_files, which statements count.

INSERT INTO table_revisions SELECT production_id, part, revision FROM revisions WHERE part = 'asset_files';
DROP TABLE revisions;
