-- The order of ids is the order of creation, also within one millisecond: lists are read by id, and continued behind one.
--
-- RFC 9562 version 7 with a finer clock (6.2, method 3) and, behind it, a counter of the whole database (method 1): of two ids,
-- the one whose making began after the other was made is the greater, whichever sessions made them. Only a server clock that
-- is set back breaks that.
CREATE SEQUENCE uuid_v7_counter MINVALUE 0 MAXVALUE 1073741823 START 0 CYCLE;

-- One expression that names its argument once: PostgreSQL puts it in the place of the call.
CREATE FUNCTION uuid_v7_at(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE PARALLEL UNSAFE AS $$
  SELECT (
    -- 48 bits of milliseconds and 12 of their fraction, with the version between them
    overlay(lpad(to_hex((extract(epoch FROM at) * 4096000)::bigint), 15, '0') PLACING '7' FROM 13 FOR 0)
    -- the variant, and 30 bits of the counter
    || to_hex(2147483648 + nextval('uuid_v7_counter'))
    || encode(substring(uuid_send(gen_random_uuid()) FROM 13), 'hex')
  )::uuid
$$;

-- No longer PARALLEL SAFE: workers of a parallel query may not touch a sequence.
CREATE OR REPLACE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL UNSAFE AS $$
  SELECT uuid_v7_at(clock_timestamp())
$$;
