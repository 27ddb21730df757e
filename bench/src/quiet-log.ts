import { pino } from 'pino';

export const quietLog = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }));
