/**
 * For a delivery that somebody asks for and waits to see, however long its webhook has failed: nothing holds it back, and it
 * is in front of what waits. `webhook`: the parameter with its id.
 */
export const inFront = (webhook: string) => `
  least(now(), (SELECT min(next_attempt_at) - interval '1 millisecond' FROM webhook_deliveries
    WHERE webhook_id = ${webhook} AND status = 'pending'))`;

export const endBackoff = (webhook: string) => `
  UPDATE webhooks SET not_before = NULL WHERE id = ${webhook} AND enabled AND not_before IS NOT NULL`;
