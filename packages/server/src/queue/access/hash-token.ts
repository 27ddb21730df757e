import { createHash, createHmac } from 'node:crypto';

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** What a page of the console sends with every write: it follows from the cookie, which another site cannot read. */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}
