import { readMoment } from './read-moment.ts';

/** `90d`, `12h` or a moment such as 2030-01-31T08:00:00Z, as a moment. */
export const readExpiry = (text: string): string => readMoment(text, 'ahead');
