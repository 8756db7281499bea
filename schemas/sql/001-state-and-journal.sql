-- What fmd must not forget.

-- Small current state: cases, SERD engines, holds, resources, cursors, outbox. doc is JSON.
CREATE TABLE state (
  kind TEXT NOT NULL,
  key  TEXT NOT NULL,
  doc  TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- The event journal. A block holds events first_seq to last_seq as JSON lines in one zstd frame; blocks do not
-- overlap. sealed: of its final size. bytes: length of data, so that sizes are known without touching the data.
CREATE TABLE block (
  first_seq INTEGER PRIMARY KEY,
  last_seq  INTEGER NOT NULL,
  from_ns   INTEGER NOT NULL,
  to_ns     INTEGER NOT NULL,
  count     INTEGER NOT NULL,
  sealed    INTEGER NOT NULL,
  bytes     INTEGER NOT NULL,
  data      BLOB NOT NULL
) STRICT;
