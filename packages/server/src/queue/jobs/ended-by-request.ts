/*
 * A requested pause or cancel survives everything: whichever way a run ends but completion, the job ends in paused or
 * cancelled and burns no retry. The statements that end runs share these pieces, so that they cannot disagree.
 */

/** The status a run ends in: what was requested, else `otherwise`. */
export const requestedOr = (otherwise: string) =>
  `CASE requested_action WHEN 'pause' THEN 'paused' WHEN 'cancel' THEN 'cancelled' ELSE ${otherwise} END::job_status`;

/** Retries that count: none when a request ends the run, and never more than the maximum. */
export const burnRetry =
  'retry_count + CASE WHEN requested_action IS NULL AND retry_count < max_retries THEN 1 ELSE 0 END';

/** The columns of an ended run that follow from its new status. `ended` is the expression that requestedOr made. */
export const leaseEnded = (ended: string, events = '1') => `
    lease_expires_at = NULL, requested_action = NULL, event_count = event_count + ${events},
    worker_id = CASE WHEN ${ended} IN ('pending', 'retryable', 'paused') THEN NULL ELSE worker_id END,
    completed_at = CASE WHEN ${ended} IN ('failed', 'cancelled', 'expired') THEN now() END`;

/** The transition that the event of an ended run names. */
export const transitionOr = (transition: string) =>
  `CASE to_status WHEN 'paused' THEN 'pause' WHEN 'cancelled' THEN 'cancel' ELSE '${transition}' END::job_transition`;
