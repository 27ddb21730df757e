import { HoldfastError } from '@holdfast/contract';

/** The error a promise fails with, which must be one of ours. */
export async function failureOf(promise: Promise<unknown>): Promise<HoldfastError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof HoldfastError) return error;
  throw error;
}
