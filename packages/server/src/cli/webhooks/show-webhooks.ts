import type { Webhook, WebhookDelivery } from '@holdfast/contract';
import { asCalled } from '../base/process/installation.ts';
import { asCalled } from '../../base/process/called-as.ts';
import type { ShownWebhook } from '../../queue/webhooks/find-webhooks.ts';
import { formatAgo } from '../format-time.ts';
import { printable, printTable } from '../print-table.ts';
import { shorten } from '../shorten.ts';

export function printWebhooks(webhooks: readonly Webhook[], isFiltered: boolean, limit: number): void {
  if (webhooks.length === 0) {
    console.log(
      isFiltered
        ? 'No such webhooks.'
        : asCalled('No webhooks yet. Add one: holdfast webhooks add https://example.com/hooks/holdfast'),
    );
    return;
  }
  printTable(
    ['ID', 'OWNER', 'STATE', 'EVENTS', 'URL'],
    webhooks.map((webhook) => [
      webhook.id,
      webhook.user_id,
      stateOf(webhook),
      shorten(webhook.events.join(' '), 50),
      shorten(webhook.url, 60),
    ]),
  );
  if (webhooks.length === limit) console.log(`\nMore: --after ${webhooks.at(-1)?.id}`);
}

export function printWebhook(webhook: ShownWebhook): void {
  const { pending, dead } = webhook.deliveries;
  const lines: [string, string | null][] = [
    ['webhook', webhook.id],
    ['url', webhook.url],
    ['for', webhook.description],
    ['events', webhook.events.join(' ')],
    ['state', stateOf(webhook)],
    ['reason', webhook.disabled_reason],
    ['waiting', String(pending)],
    ['next', webhook.next_attempt_at && nextAttempt(webhook.next_attempt_at)],
    ['dead', String(dead)],
    [
      'old secret',
      webhook.previous_secret_until && `signs as well until ${time(webhook.previous_secret_until)}`,
    ],
    ['owner', webhook.user_id],
    ['created', time(webhook.created_at)],
  ];
  for (const [label, value] of lines) if (value) console.log(`${label.padEnd(11)} ${printable(value)}`);
  if (dead > 0)
    console.log(asCalled(`\nSend the dead ones again: holdfast webhooks replay ${webhook.id} --dead`));
}

export function printDeliveries(deliveries: readonly WebhookDelivery[], limit: number): void {
  if (deliveries.length === 0) {
    console.log('No such deliveries.');
    return;
  }
  printTable(
    ['ID', 'EVENT', 'STATUS', 'ATTEMPTS', 'MADE', 'NEXT', 'LAST ANSWER'],
    deliveries.map((delivery) => [
      delivery.id,
      delivery.event,
      delivery.status,
      delivery.attempts,
      formatAgo(delivery.created_at),
      delivery.next_attempt_at ? nextAttempt(delivery.next_attempt_at) : '',
      shorten(delivery.last_error ?? String(delivery.last_status ?? ''), 60),
    ]),
  );
  if (deliveries.length === limit) console.log(`\nMore: --after ${deliveries.at(-1)?.id}`);
}

/** What became of a delivery, in a few words. */
export function outcomeOf({
  status,
  attempts,
  last_status,
  last_error,
  next_attempt_at,
}: WebhookDelivery): string {
  if (status === 'delivered') return `delivered; the receiver answered ${last_status}`;
  if (status === 'dead') return `dead: ${last_error}`;
  if (last_error === null)
    return attempts > 0 ? 'a worker is still sending it' : 'no worker had room for it yet; one sends it';
  return `not taken: ${last_error}; next attempt ${next_attempt_at ? nextAttempt(next_attempt_at) : 'when the webhook is enabled'}`;
}

/** What is due waits for no moment, but for a worker that has room. */
function nextAttempt(at: Date): string {
  return at.getTime() <= Date.now() ? 'due' : formatAgo(at);
}

function stateOf({ enabled, failing_since }: Webhook): string {
  if (!enabled) return 'disabled';
  return failing_since ? `failing, first ${formatAgo(failing_since)}` : 'enabled';
}

function time(at: Date): string {
  return `${at.toISOString()} (${formatAgo(at)})`;
}
