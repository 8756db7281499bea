-- Which classes and resources the events of a sealed block have (fmd/store/block_names.h), so that a search for one of them unpacks
-- few blocks. A block without a row is looked through.
CREATE TABLE block_names (
  first_seq INTEGER PRIMARY KEY,
  classes   TEXT NOT NULL,
  resources BLOB NOT NULL
) STRICT;

CREATE TRIGGER block_names_go AFTER DELETE ON block BEGIN
  DELETE FROM block_names WHERE first_seq = OLD.first_seq;
END;
