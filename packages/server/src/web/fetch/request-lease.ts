/** On whose behalf a request is made: it starts within the lease, and ends with the signal. */
export interface RequestLease {
  /** By the monotonic clock. */
  readonly leaseEnds: () => number;
  readonly signal: AbortSignal;
}

export function isLeased({ leaseEnds }: Pick<RequestLease, 'leaseEnds'>): boolean {
  return performance.now() < leaseEnds();
}
