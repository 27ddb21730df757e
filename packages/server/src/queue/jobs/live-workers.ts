/** Heartbeats that did not come: a worker is silent then. */
const missedBeats = 3;

/** Whether a row of `workers` has not been heard of lately; `heartbeatSeconds` is a parameter. */
export const isSilent = (worker: string, heartbeatSeconds: string) =>
  `${worker}.last_seen < now() - make_interval(secs => ${heartbeatSeconds}::float8 * ${missedBeats})`;

/** Whether it takes jobs of others: not while it drains, and not if it is there for one job alone. */
export const listensStill = (worker: string, heartbeatSeconds: string) =>
  `NOT ${isSilent(worker, heartbeatSeconds)} AND NOT ${worker}.draining AND ${worker}.max_jobs > 0`;
