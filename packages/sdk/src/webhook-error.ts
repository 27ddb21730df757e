/** The delivery is not from who it should be from, or it is an old one that somebody sends again. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}
