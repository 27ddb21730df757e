import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** A name that no other worker has: where it runs for people, chance for the machine. */
export function nameWorker(): string {
  return `${hostname().slice(0, 60)}-${process.pid}-${randomBytes(4).toString('hex')}`;
}
