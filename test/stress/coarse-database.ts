const step = Number(process.env.HOLDFAST_TEST_CLOCK_MS ?? 0);

/** Found before the functions of the server itself, so that its clock is as coarse as that of the processes. */
export const coarseSettings: Readonly<Record<string, string>> =
  step > 0 ? { search_path: 'public, pg_catalog' } : {};

/** To be run in a new database, before its tables name these functions. */
export const coarseFunctions =
  step > 0
    ? `
CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS
  $$SELECT date_bin('${step} ms', pg_catalog.now(), 'epoch')$$;
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS
  $$SELECT date_bin('${step} ms', pg_catalog.clock_timestamp(), 'epoch')$$`
    : '';
