import type { Webhook, WebhookDelivery } from '@holdfast/contract';
import { asCalled } from '../../base/process/installation.ts';
import type { ShownWebhook } from '../../queue/webhooks/find-webhooks.ts';
import { formatAgo, formatMoment } from '../format-values.ts';
import { printMore } from '../list-options.ts';
import { type Field, printFields, printTable } from '../print-table.ts';
import { shorten } from '../terminal-text.ts';

export function printWebhooks(webhooks: readonly Webhook[], isFiltered: boolean, limit: number): void {
  if (webhooks.length === 0) {
    console.log(
      isFiltered
        ? 'No matching webhooks.'
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
  if (webhooks.length === limit) printMore(webhooks.at(-1)?.id);
}

export function printWebhook(webhook: ShownWebhook): void {
  const { pending, dead } = webhook.deliveries;
  const lines: Field[] = [
    ['webhook', webhook.id],
    ['url', webhook.url],
    ['purpose', webhook.description],
    ['events', webhook.events.join(' ')],
    ['state', stateOf(webhook)],
    ['reason', webhook.disabled_reason],
    ['waiting', String(pending)],
    ['next', webhook.next_attempt_at && nextAttempt(webhook.next_attempt_at)],
    ['dead', String(dead)],
    [
      'old secret',
      webhook.previous_secret_until && `also signs until ${formatMoment(webhook.previous_secret_until)}`,
    ],
    ['owner', webhook.user_id],
    ['created', formatMoment(webhook.created_at)],
  ];
  printFields(lines);
  if (dead > 0)
    console.log(asCalled(`\nSend the dead deliveries again: holdfast webhooks replay ${webhook.id} --dead`));
}

export function printDeliveries(deliveries: readonly WebhookDelivery[], limit: number): void {
  if (deliveries.length === 0) {
    console.log('No matching deliveries.');
    return;
  }
  printTable(
    ['ID', 'EVENT', 'STATUS', 'ATTEMPTS', 'CREATED', 'NEXT', 'LAST ANSWER'],
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
  if (deliveries.length === limit) printMore(deliveries.at(-1)?.id);
}

/** The state of a delivery, in a few words. */
export function outcomeOf({
  status,
  attempts,
  last_status,
  last_error,
  next_attempt_at,
}: WebhookDelivery): string {
  if (status === 'delivered') return `delivered; the receiver answered ${last_status}`;
  if (status === 'dead') return `dead: ${last_error}`;
  if (last_error === null) return attempts > 0 ? 'a worker is sending it' : 'waiting for a worker with room';
  return `not delivered: ${last_error}; next attempt ${next_attempt_at ? nextAttempt(next_attempt_at) : 'when the webhook is enabled'}`;
}

function nextAttempt(at: Date): string {
  return at.getTime() <= Date.now() ? 'due' : formatAgo(at);
}

function stateOf({ enabled, failing_since }: Webhook): string {
  if (!enabled) return 'disabled';
  return failing_since ? `failing, first ${formatAgo(failing_since)}` : 'enabled';
}
