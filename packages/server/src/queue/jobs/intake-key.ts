/** The dedupe key of a collect job: an intake asks a source once at a time. */
export function intakeKey(intakeId: string, sourceId: string): string {
  return `intake:${intakeId}|${sourceId}`;
}
