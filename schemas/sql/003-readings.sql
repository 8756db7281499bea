-- What plugins measured. A block holds many readings of many parts as columns in one zstd frame
-- (fmd/store/series.h). sealed: merged with others, sorted by part and of its final size, so that a question
-- about one part opens few blocks. first_resource to last_resource: the range of FMRIs in it. No entry per reading.
CREATE TABLE readings (
  id             INTEGER PRIMARY KEY,
  from_ns        INTEGER NOT NULL,
  to_ns          INTEGER NOT NULL,
  first_resource TEXT NOT NULL,
  last_resource  TEXT NOT NULL,
  count          INTEGER NOT NULL,
  sealed         INTEGER NOT NULL,
  bytes          INTEGER NOT NULL,
  data           BLOB NOT NULL
) STRICT;

-- Its table of contents: queries, retention and figures read this and never walk over the data pages.
CREATE INDEX readings_catalog ON readings (to_ns, from_ns, first_resource, last_resource, count, sealed, bytes);

-- Blocks waiting to be merged.
CREATE INDEX readings_unsealed ON readings (id, count) WHERE sealed = 0;
