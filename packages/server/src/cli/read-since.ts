import { readMoment } from './option-values.ts';

/** `2h`, `3d` ago, or a moment such as 2030-01-31T08:00:00Z, as a moment. */
export const readSince = (text: string): string => readMoment(text, 'ago');
