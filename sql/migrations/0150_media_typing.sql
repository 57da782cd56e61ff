-- There is a row while stored files are to be typed again, because an older version detected fewer types. A version that detects more adds it again.
CREATE TABLE media_typing (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last TEXT NOT NULL -- the hash of the last file that was typed
) STRICT;
INSERT INTO media_typing (one, last) SELECT 1, '' WHERE EXISTS (SELECT 1 FROM media);
