import type { ApiServer } from '../api-server.ts';
import type { BotDesk } from './bot-desk.ts';

export type BotRoute = (server: ApiServer, desk: BotDesk) => void;

/** Of every route here. */
export const botAccess = { access: { scope: 'bots' } } as const;
export const botTags = ['bots'];

/** Answers are written as text, and sent with this: a price must not become a float on its way out. */
export const json = 'application/json; charset=utf-8';
