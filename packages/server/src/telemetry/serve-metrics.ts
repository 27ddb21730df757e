import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration } from '@holdfast/contract';
import { httpAddress } from '../api/http-address.ts';
import { listenError } from '../api/listen-error.ts';
import { Metrics } from './metrics.ts';

export interface MetricsServer {
  readonly address: string;
  close(): Promise<void>;
}

/** What a worker counts, for Prometheus: numbers of this process, and nothing of anyone's jobs. */
export async function serveMetrics({
  host,
  metricsPort,
}: Pick<Configuration, 'host' | 'metricsPort'>): Promise<MetricsServer> {
  const metrics = new Metrics();
  const server = createServer(async (request, response) => {
    if (request.url === '/health') return response.end('ok\n');
    if (request.url !== '/metrics') return response.writeHead(404).end('See /metrics and /health.\n');
    response.setHeader('content-type', metrics.registry.contentType);
    response.end(await metrics.registry.metrics());
  });
  server.listen(metricsPort, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    metrics.close();
    throw await listenError(error, host, metricsPort);
  }
  const { port } = server.address() as AddressInfo;
  return {
    address: httpAddress(host, port),
    async close() {
      metrics.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
