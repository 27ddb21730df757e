import { readBacklog } from '../webhooks/read-backlog.ts';
import type { Check } from './examine.ts';

/** Webhooks that somebody relies on, and that get nothing. */
export const checkDeliveries: Check = async ({ pool }) => {
  const { pending, dead, enabled, failing, disabled } = await readBacklog(pool);
  const found = `${enabled} webhooks, ${failing} failing, ${disabled} disabled; ${pending} deliveries pending, ${dead} dead`;
  if (dead === 0 && failing === 0) return { check: 'webhooks', state: 'ok', found };
  return {
    check: 'webhooks',
    state: 'warning',
    found,
    advice:
      dead > 0
        ? '`holdfast webhooks deliveries ID --status dead` says why; `holdfast webhooks replay ID --dead` sends them again.'
        : '`holdfast webhooks list` names them, and `holdfast webhooks deliveries ID` says why they fail.',
  };
};
