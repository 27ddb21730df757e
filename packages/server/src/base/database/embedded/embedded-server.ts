import type { Logger } from 'pino';
import type { ClusterFolder } from './cluster-folder.ts';
import type { EmbeddedBinaries } from './embedded-binaries.ts';
import type { ServerAccount } from './server-account.ts';

/** What is needed to start, find and stop the server of one data folder. */
export interface EmbeddedServer {
  readonly cluster: ClusterFolder;
  readonly binaries: EmbeddedBinaries;
  readonly account: ServerAccount;
  /** 0: the port of the last start, or a free one. */
  readonly configuredPort: number;
  /** Settings for the server when it is us who start it; they win over the cluster's postgresql.conf. */
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Logger;
}
