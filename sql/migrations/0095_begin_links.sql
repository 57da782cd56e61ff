-- One-time links with which the first production of a server is begun. Whatever makes a production uses them up, also a command.
CREATE TABLE begin_links (
  token_sha256 TEXT NOT NULL PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER begin_links_used AFTER INSERT ON productions BEGIN
  DELETE FROM begin_links;
END;
