import { canonicalOrigin, HoldfastError, settings } from '@holdfast/contract';

/** Allows these origins for this process and the runners it starts, beside those of the configuration. Nobody else is affected. */
export function allowPrivate(origins: readonly string[], configured: readonly string[]): void {
  const all = [...configured, ...origins.map(originOf)];
  if (all.length > 0) process.env[settings.allowPrivate.env] = [...new Set(all)].join(',');
}

export function originOf(text: string): string {
  const origin = /^[^/]+\/\/[^/]+\/?$/.test(text) ? canonicalOrigin(text) : undefined;
  if (origin !== undefined) return origin;
  throw new HoldfastError('bad_request', `--allow-private ${text} is no origin`, {
    hint: 'Write it as http://localhost:8080, without a path.',
  });
}
