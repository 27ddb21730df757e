/**
 * When the lease of a running job ends. One that was claimed by a plain UPDATE has no lease_expires_at: its holder renews it by
 * last_heartbeat, as documents 000 and 001 have it.
 */
export const leaseEnd = (job: string) =>
  `coalesce(${job}.lease_expires_at, ${job}.last_heartbeat + interval '2 minutes')`;
