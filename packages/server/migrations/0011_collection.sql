-- Collection: items to be priced, what sources say they cost, and the verdict.

CREATE TYPE price_type AS ENUM ('sold', 'ask', 'bid');

-- Money is numeric, to its last digit, in every table below.

CREATE TABLE intakes (
  id            uuid DEFAULT uuid_v7() PRIMARY KEY,
  user_id       text NOT NULL DEFAULT 'local' CHECK (length(user_id) BETWEEN 1 AND 100),
  -- The owner's own name for it: an import that is repeated changes the intake instead of adding another.
  reference     text CHECK (length(reference) BETWEEN 1 AND 200),
  title         text CHECK (length(title) BETWEEN 1 AND 1000),
  attributes    jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(attributes) = 'object'),
  -- In which a listing of the same item cannot differ; null: as collect/match-strength.ts has it.
  must_agree    text[],
  -- Of its valuation; null: that of most of its price points.
  currency      text CHECK (currency ~ '^[A-Z]{3}$'),
  tags          text[] NOT NULL DEFAULT '{}',
  -- Something that its valuation rests on has changed outside the transaction that would have valued it.
  valuation_due boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  UNIQUE (user_id, reference),
  CONSTRAINT is_described CHECK (title IS NOT NULL OR attributes <> '{}')
);
CREATE INDEX intakes_of_owner ON intakes (user_id, id);
CREATE INDEX intakes_by_tag ON intakes USING gin (tags) WHERE tags <> '{}';
CREATE INDEX intakes_valuation_due ON intakes (id) WHERE valuation_due;

CREATE TABLE price_points (
  id               uuid DEFAULT uuid_v7() PRIMARY KEY,
  intake_id        uuid NOT NULL REFERENCES intakes ON DELETE CASCADE,
  source_id        text NOT NULL REFERENCES sources,
  -- As collect/dedupe-key.ts makes it.
  dedupe_key       text NOT NULL CHECK (length(dedupe_key) BETWEEN 5 AND 500),
  price            numeric NOT NULL CHECK (price >= 0 AND price <> 'NaN' AND price < 'Infinity'),
  currency         text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  price_type       price_type NOT NULL,
  match_strength   numeric(4, 3) NOT NULL CHECK (match_strength BETWEEN 0 AND 1),
  -- Somebody said how well it matches; else it was computed, and is again when the intake changes.
  match_is_stated  boolean NOT NULL DEFAULT false,
  external_id      text,
  listing_url      text,
  listing_title    text,
  listing_date     timestamptz,
  -- What the source says of the item apart from the title.
  listing_attributes jsonb,
  observed_at      timestamptz NOT NULL DEFAULT now(),
  raw              jsonb,
  -- Null: brought by hand. No reference: points outlive the jobs that found them.
  job_id           uuid,
  actor            text NOT NULL,
  UNIQUE (intake_id, source_id, dedupe_key)
);
CREATE INDEX price_points_of_intake ON price_points (intake_id, id);
CREATE INDEX price_points_of_source ON price_points (source_id, intake_id);
CREATE INDEX price_points_of_job ON price_points (job_id) WHERE job_id IS NOT NULL;

-- What a source answered to a query, for all workers and across their restarts.
CREATE TABLE adapter_cache (
  source_id    text NOT NULL REFERENCES sources ON DELETE CASCADE,
  -- SHA-256 of the key, which may be longer than an index takes.
  key_hash     bytea NOT NULL CHECK (length(key_hash) = 32),
  key          text NOT NULL,
  -- SHA-256 of adapter and configuration: what another configuration made of an answer is not ours.
  config_hash  bytea NOT NULL CHECK (length(config_hash) = 32),
  listings     jsonb NOT NULL CHECK (jsonb_typeof(listings) = 'array' AND listings <> '[]'),
  stored_at    timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (source_id, key_hash)
);
CREATE INDEX adapter_cache_expires ON adapter_cache (expires_at);

CREATE TABLE valuations (
  intake_id        uuid PRIMARY KEY REFERENCES intakes ON DELETE CASCADE,
  currency         text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  p10              numeric NOT NULL,
  p20              numeric NOT NULL,
  p40              numeric NOT NULL,
  median           numeric NOT NULL,
  p60              numeric NOT NULL,
  p80              numeric NOT NULL,
  p90              numeric NOT NULL,
  mean             numeric NOT NULL,
  comparables      integer NOT NULL CHECK (comparables > 0),
  sources          integer NOT NULL,
  sold             integer NOT NULL,
  ask              integer NOT NULL,
  outliers         integer NOT NULL,
  other_currencies integer NOT NULL,
  not_used         integer NOT NULL,
  confidence       smallint NOT NULL CHECK (confidence BETWEEN 1 AND 10),
  reasons          jsonb NOT NULL,
  valued_at        timestamptz NOT NULL DEFAULT now()
);

-- A row for each valuation that differed from the one before.
CREATE TABLE valuation_history (
  LIKE valuations INCLUDING CONSTRAINTS,
  id uuid DEFAULT uuid_v7() PRIMARY KEY,
  FOREIGN KEY (intake_id) REFERENCES intakes ON DELETE CASCADE
);
CREATE INDEX valuation_history_of_intake ON valuation_history (intake_id, id);

-- The weight of a source is part of every valuation that its points are in. Few change it; whoever does is not kept waiting
-- while all of them are computed.
CREATE FUNCTION valuations_follow_weight() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE intakes SET valuation_due = true
  WHERE NOT valuation_due AND id IN (SELECT DISTINCT intake_id FROM price_points WHERE source_id = NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER valuations_follow_weight AFTER UPDATE OF reputation_weight ON sources FOR EACH ROW
  WHEN (OLD.reputation_weight IS DISTINCT FROM NEW.reputation_weight)
  EXECUTE FUNCTION valuations_follow_weight();
