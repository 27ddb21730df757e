-- What lists of intakes, and of the jobs that ask for their prices, go by.

-- The jobs of an intake, the newest last, without those of others. Nothing of it ever changes. It does not speak of the kind:
-- the planner would take it for a way to the collect jobs that are ready, and read those of a year.
CREATE INDEX crawl_jobs_of_intake ON crawl_jobs ((lower(payload ->> 'intake_id')), id)
  WHERE payload ->> 'intake_id' IS NOT NULL;

-- That of its valuation; null: it has none. Beside the intake, because lists are filtered by it in the order of the intakes.
ALTER TABLE intakes ADD COLUMN confidence smallint CHECK (confidence BETWEEN 1 AND 10);
UPDATE intakes SET confidence = valuation.confidence FROM valuations valuation WHERE valuation.intake_id = intakes.id;
CREATE INDEX intakes_valued ON intakes (id) INCLUDE (confidence) WHERE confidence IS NOT NULL;
CREATE INDEX intakes_not_valued ON intakes (id) WHERE confidence IS NULL;
CREATE INDEX intakes_by_reference ON intakes (reference, id) WHERE reference IS NOT NULL;

-- A trigger, so that whatever stores or drops a valuation cannot forget it. Most valuations change no confidence, and then
-- it does not run.
CREATE FUNCTION intakes_follow_confidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE intakes SET confidence = CASE WHEN TG_OP <> 'DELETE' THEN NEW.confidence END
  WHERE id = CASE WHEN TG_OP = 'DELETE' THEN OLD.intake_id ELSE NEW.intake_id END;
  RETURN NULL;
END $$;
CREATE TRIGGER intakes_follow_confidence AFTER INSERT OR DELETE ON valuations FOR EACH ROW
  EXECUTE FUNCTION intakes_follow_confidence();
CREATE TRIGGER intakes_follow_changed_confidence AFTER UPDATE OF confidence ON valuations FOR EACH ROW
  WHEN (OLD.confidence IS DISTINCT FROM NEW.confidence)
  EXECUTE FUNCTION intakes_follow_confidence();
