/** The signature is invalid, or an old delivery was replayed. Respond with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}
