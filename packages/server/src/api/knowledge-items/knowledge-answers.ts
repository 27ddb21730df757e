import type {
  ErrorCode,
  JobProgress,
  JobStatus,
  KnowledgeProgress,
  KnowledgeStatus,
  knowledgeError,
} from '@holdfast/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type DescribedError, reportError } from '../error-answers.ts';

const statusWords: Record<JobStatus, KnowledgeStatus> = {
  pending: 'pending',
  processing: 'processing',
  retryable: 'pending',
  paused: 'paused',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'failed',
};

export function knowledgeStatus(status: JobStatus): KnowledgeStatus {
  return statusWords[status];
}

/** Milliseconds until the next poll; 0 to stop. */
export function pollInterval(status: JobStatus): number {
  if (status === 'processing' || status === 'pending') return 1_000;
  return status === 'paused' || status === 'retryable' ? 5_000 : 0;
}

/** Progress in the dialect. Has no clock, so that unchanged progress is answered with 304. */
export function knowledgeProgressOf(progress: JobProgress): KnowledgeProgress {
  const message = messageOf(progress);
  return {
    success: true,
    progressId: progress.job_id,
    job_id: progress.job_id,
    status: knowledgeStatus(progress.status),
    progress: progress.progress_percentage,
    message,
    logs: [message],
    currentUrl: progress.current_url,
    totalPages: progress.done + progress.pending,
    processedPages: progress.done,
    failedPages: progress.failed,
    error: progress.error_message,
  };
}

function messageOf({ status, requested_action, done, pending, failed }: JobProgress): string {
  const pages = `${done} of ${done + pending} known pages`;
  switch (status) {
    case 'pending':
      return done > 0 ? `Waiting for a worker to continue, after ${pages}` : 'Waiting for a worker';
    case 'processing':
      if (requested_action === 'cancel') return 'Stopping';
      return requested_action === 'pause' ? 'Pausing' : `Crawled ${pages}`;
    case 'retryable':
      return 'Waiting for a retry';
    case 'paused':
      return `Paused after ${pages}`;
    case 'completed':
      return `Crawled ${done} pages${failed > 0 ? `, ${failed} of them failed` : ''}`;
    case 'failed':
      return 'Crawl failed';
    case 'cancelled':
      return `Stopped after ${pages}`;
    case 'expired':
      return 'Crawl was taken away from its worker';
  }
}

/** Error codes of the dialect that differ from ours. */
const errorWords: Partial<Record<ErrorCode, string>> = {
  bad_request: 'validation_error',
  url_invalid: 'validation_error',
  request_too_large: 'validation_error',
  unsupported_media_type: 'validation_error',
  key_missing: 'authentication_error',
  key_invalid: 'authentication_error',
  scope_missing: 'authentication_error',
};

function knowledgeErrorOf({ code, message, hint }: DescribedError): z.output<typeof knowledgeError> {
  return { success: false, error: errorWords[code] ?? code, detail: `${message}. ${hint}` };
}

export function sendKnowledgeError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return reply.send(knowledgeErrorOf(reportError(error, request, reply)));
}
