-- The journal's table of contents: everything about a block but its data, so that a search by time, the sizes and
-- retention read this small index and never walk over the data pages.
CREATE INDEX block_catalog ON block (to_ns, from_ns, last_seq, count, sealed, bytes);

-- Blocks waiting to be merged: few at any time.
CREATE INDEX block_unsealed ON block (first_seq) WHERE sealed = 0;
