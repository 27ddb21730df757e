import { mostCounted, readBacklog } from '../../queue/webhooks/read-backlog.ts';
import type { Check } from './examine.ts';

/** Webhooks that somebody relies on, and that get nothing. */
export const checkDeliveries: Check = async ({ pool }) => {
  const { pending, dead, held, enabled, failing, disabled } = await readBacklog(pool);
  const all = enabled + disabled;
  if (all + pending + dead === 0) return { check: 'webhooks', state: 'ok', found: 'none' };
  const found = `${all} ${all === 1 ? 'webhook' : 'webhooks'}, of which ${failing} failing, ${disabled} disabled; ${atLeast(pending)} ${pending === 1 ? 'delivery' : 'deliveries'} pending, ${atLeast(dead)} dead`;
  const advice = [
    dead > 0 &&
      '`holdfast webhooks deliveries ID --status dead` says why; `holdfast webhooks replay ID --dead` sends them again.',
    failing > 0 &&
      '`holdfast webhooks list` names those that fail, and `holdfast webhooks deliveries ID` says why.',
    held > 0 &&
      `${atLeast(held)} of the pending wait${held === 1 ? 's' : ''} for a disabled webhook: \`holdfast webhooks list --disabled\` names it, \`holdfast webhooks enable ID\` sends what waits, \`holdfast webhooks remove ID\` drops it.`,
  ].filter((line) => line !== false);
  if (advice.length === 0) return { check: 'webhooks', state: 'ok', found };
  return { check: 'webhooks', state: 'warning', found, advice: advice.join(' ') };
};

function atLeast(count: number): string {
  return count === mostCounted ? `${count} or more` : `${count}`;
}
