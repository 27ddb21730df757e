import type { Logger } from 'pino';
import type { ItemAttributes } from '../../points/match-strength.ts';
import type { Listing } from '../../points/price-point.ts';
import type { AccessTokens, TokenContext } from './access-tokens.ts';

/** What an adapter may use. All its requests go through the governor. */
export interface AdapterContext extends TokenContext {
  readonly tokens: AccessTokens;
  /** The folder of the operator's adapter modules. */
  readonly folder: string | undefined;
  /** The bundled program of the thread that modules run in. */
  readonly moduleProgram: string;
  readonly log: Logger;
}

/** Asks one source for the prices of one item. Throws HoldfastErrors, whose class decides about a retry. */
export type Adapter<Config> = (
  config: Config,
  item: ItemAttributes,
  context: AdapterContext,
) => Promise<Listing[]>;
