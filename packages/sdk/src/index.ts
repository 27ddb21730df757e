export { type FieldProblem, HoldfastApiError } from './api-error.ts';
export { Bot, type BotOptions, type BotTally, type Handler } from './bot.ts';
export {
  BotApi,
  type BotApiOptions,
  type Pulled,
  type PulledJob,
  type PullOptions,
  type Submitted,
} from './bot-api.ts';
export { HoldfastConnectionError, HoldfastTimeoutError } from './connection-error.ts';
export type { EventMessage, StreamEvent } from './events.ts';
export type { StreamOptions } from './follow-stream.ts';
export { Holdfast } from './holdfast.ts';
export { JobInterrupted } from './job-interrupted.ts';
export type { JobMessage } from './jobs.ts';
export type { Listing } from './listing.ts';
export type { Bot as BotDescription } from './operations.ts';
export * from './operations.ts';
export type { ExportedPage, ExportOptions } from './read-export.ts';
export type { Submission, VisitResult } from './submission-text.ts';
export type { CallOptions, ConnectionOptions } from './transport.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookMessage,
} from './verify-webhook.ts';
export { terminalStatuses, type WaitOptions } from './wait-for.ts';
export { WebhookVerificationError } from './webhook-error.ts';
