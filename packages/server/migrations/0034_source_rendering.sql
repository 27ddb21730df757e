-- Whether pages of a source run in a browser, for jobs that leave it to the source.
ALTER TABLE sources ADD COLUMN render text CHECK (render IN ('never', 'auto', 'always'));
COMMENT ON COLUMN sources.render IS 'Whether its pages run in a browser, for jobs whose option is auto. Null: auto.';
CREATE INDEX sources_render ON sources (id) WHERE render IS NOT NULL;
