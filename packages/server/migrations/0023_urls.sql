-- What makes two URLs one may change with a version. A crawl ends under the rules it began with, because its visited set
-- holds hashes made by them; 1 is version 0.2.
ALTER TABLE crawl_states ADD COLUMN url_rules smallint NOT NULL DEFAULT 1;

