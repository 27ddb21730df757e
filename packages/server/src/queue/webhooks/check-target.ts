import { HoldfastError } from '@holdfast/contract';
import { AddressGuard } from '../../web/fetch/address-guard.ts';

/**
 * The URL as all parsers write it; throws for one that no worker with this allow-list would send to. It is for who types
 * it: what counts is checked again where the socket is opened.
 */
export function checkTarget(url: string, allowPrivate: readonly string[]): string {
  const target = new URL(url);
  target.hash = '';
  try {
    new AddressGuard(allowPrivate).checkUrl(target);
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'address_forbidden') throw error;
    throw new HoldfastError('address_forbidden', undefined, {
      hint: `Give a public address, or let who runs Holdfast set HOLDFAST_ALLOW_PRIVATE=${target.origin} for \`up\` (or \`api\` and \`worker\`), and for \`holdfast webhooks add\` as well: each checks by its own environment.`,
    });
  }
  return target.href;
}
