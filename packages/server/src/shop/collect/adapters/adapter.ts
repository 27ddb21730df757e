import type { Logger } from 'pino';
import type { ItemAttributes } from '../../points/match-strength.ts';
import type { Listing } from '../../points/price-point.ts';
import type { AccessTokens, TokenContext } from './access-tokens.ts';

/** What an adapter may use. The way to the outside is the governor's, and there is no other. */
export interface AdapterContext extends TokenContext {
  readonly tokens: AccessTokens;
  /** Of the operator's own modules. */
  readonly folder: string | undefined;
  /** The bundled thread that they run in. */
  readonly moduleProgram: string;
  readonly log: Logger;
}

/** Asks one source for the prices of one item. Whatever goes wrong is a HoldfastError, whose class decides about a retry. */
export type Adapter<Config> = (
  config: Config,
  item: ItemAttributes,
  context: AdapterContext,
) => Promise<Listing[]>;
