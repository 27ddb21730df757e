import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration } from '@holdfast/contract';
import { httpAddress, listenError } from '../../base/process/listen-address.ts';
import { Metrics } from '../../base/telemetry/metrics.ts';
import { alivePaths, type ReadinessCheck, readyPaths } from './readiness.ts';

/** A worker without its database is alive: it waits for it. */
const isAlivePath = (url: string) => ['/health', '/healthz', ...alivePaths].includes(url);
const isReadyPath = (url: string) => (readyPaths as readonly string[]).includes(url);

export interface MetricsServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Metrics of a worker process for Prometheus, and its probes. Has no data about jobs, so it needs no key. */
export async function serveMetrics(
  { host, metricsPort }: Pick<Configuration, 'host' | 'metricsPort'>,
  readiness: Pick<ReadinessCheck, 'read'>,
): Promise<MetricsServer> {
  const metrics = new Metrics();
  const server = createServer(async ({ url = '' }, response) => {
    if (isAlivePath(url)) return response.end('ok\n');
    if (isReadyPath(url)) {
      const now = await readiness.read();
      return response.writeHead(now.ready ? 200 : 503).end(now.ready ? 'ok\n' : `not ready: ${now.reason}\n`);
    }
    if (url !== '/metrics') return response.writeHead(404).end('See /metrics, /ready and /livez.\n');
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
