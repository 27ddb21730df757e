import { z } from 'zod';

export const proxyRotations = ['round_robin', 'sticky'] as const;

/** Stands for no proxy. */
export const directProxy = 'direct';
/** The proxies of HOLDFAST_PROXY, on pages and in lists. */
export const defaultProxy = 'default';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The name of a proxy that jobs and sources may use. */
export const proxyChoice = z
  .string()
  .regex(namePattern, 'must be the name of a proxy, or direct; `holdfast proxies add` creates one')
  .refine((name) => name !== defaultProxy, 'must not be default: leave it out for HOLDFAST_PROXY');

export const proxyName = z
  .string()
  .regex(namePattern, 'must be letters, digits, dots, hyphens and underscores, at most 100')
  .refine((name) => name !== directProxy && name !== defaultProxy, 'must not be direct or default');
