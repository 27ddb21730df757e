import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseProxyUrl } from '@holdfast/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HttpFetcher } from '../fetch/http-fetcher.ts';
import { certificate } from '../fetch/testing/certificate.ts';
import { failureOf } from '../fetch/testing/failure-of.ts';
import { type LocalSite, startSecureSite, startSite } from '../fetch/testing/local-site.ts';
import { fetchThrough } from './fetch-through.ts';
import { ProxyPool } from './proxy-pool.ts';

/** Debian's packages, as they are installed. */
const programs = { squid: find('squid'), tinyproxy: find('tinyproxy') };

function find(name: string): string | undefined {
  const { stdout, status } = spawnSync('sh', ['-c', `command -v ${name} || command -v /usr/sbin/${name}`]);
  return status === 0 ? stdout.toString().trim() : undefined;
}

let folder: string;
let site: LocalSite;
let secureSite: LocalSite;
let proxy: { readonly process: ChildProcess; readonly port: number } | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'real-proxy-'));
  // Started by root, they give up root.
  chmodSync(folder, 0o777);
  site = await startSite((request, response) => response.end(`host ${request.headers.host}`));
  secureSite = await startSecureSite((_, response) => response.end('secure'));
});
afterEach(async () => {
  if (proxy && proxy.process.exitCode === null && proxy.process.signalCode === null) {
    const ended = once(proxy.process, 'exit');
    proxy.process.kill('SIGKILL');
    await ended;
  }
  proxy = undefined;
  await site.close();
  await secureSite.close();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function start(
  program: string,
  args: (configuration: string) => string[],
  lines: (port: number) => string[],
) {
  const port = await freePort();
  const configuration = join(folder, 'proxy.conf');
  writeFileSync(configuration, `${lines(port).join('\n')}\n`);
  const child = spawn(program, args(configuration), { stdio: 'ignore' });
  proxy = { process: child, port };
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return port;
    await delay(20);
  }
}

const squid = (more: readonly string[]) =>
  start(
    programs.squid ?? '',
    (configuration) => ['-N', '-f', configuration],
    (port) => [
      `http_port 127.0.0.1:${port}`,
      `pid_filename ${folder}/squid.pid`,
      `access_log ${folder}/access.log`,
      `cache_log ${folder}/cache.log`,
      'cache deny all',
      'shutdown_lifetime 0 seconds',
      ...more,
    ],
  );

const tinyproxy = (more: readonly string[]) =>
  start(
    programs.tinyproxy ?? '',
    (configuration) => ['-d', '-c', configuration],
    (port) => [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'MaxClients 20', ...more],
  );

function ask(url: string, port: number, { credentials = '', resolvesNames = false } = {}) {
  const fetcher = new HttpFetcher({
    allowOrigins: [site.origin, secureSite.origin],
    ca: [certificate.cert],
  });
  const pool = new ProxyPool({
    name: 'real',
    servers: [parseProxyUrl(`http://${credentials}127.0.0.1:${port}`)],
    mayBePrivate: true,
    resolvesNames,
  });
  return fetchThrough(fetcher, pool, { url }).finally(() => fetcher.close());
}

const notice = (name: string) => (name === '' ? '' : ` (skipped: ${name} is not installed)`);

describe.skipIf(!programs.squid)(`squid${notice(programs.squid ? '' : 'squid')}`, () => {
  const open = () => [
    `acl tunnels port ${site.port} ${secureSite.port}`,
    'http_access allow CONNECT tunnels',
    'http_access deny CONNECT',
    'http_access allow all',
  ];

  test('carries pages by CONNECT to an address, with and without TLS', async () => {
    const port = await squid(open());
    const plain = await ask(site.origin, port);
    expect(plain).toMatchObject({ status: 200, proxy: 'real' });
    const secure = await ask(secureSite.origin, port);
    expect(secure.body?.toString()).toBe('secure');
    expect(readFileSync(join(folder, 'access.log'), 'utf8')).toContain(`CONNECT 127.0.0.1:${site.port}`);
  });

  test('that allows no CONNECT to the port is not the fault of the site, and still resolves names', async () => {
    const port = await squid(['http_access deny CONNECT', 'http_access allow all']);
    const failure = await failureOf(ask(site.origin, port));
    expect(failure).toMatchObject({ code: 'proxy_failed', blame: 'route' });
    expect(failure.message).toContain('does not allow this connection (HTTP 403)');
    const response = await ask(site.origin, port, { resolvesNames: true });
    expect(response.body?.toString()).toBe(`host ${new URL(site.origin).host}`);
  });

  test('marks errors of its own, which are not the answer of a site', async () => {
    const port = await squid(open());
    const { origin } = site;
    await site.close();
    expect(await failureOf(ask(origin, port, { resolvesNames: true }))).toMatchObject({
      code: 'proxy_failed',
      blame: 'route',
    });
    expect(await failureOf(ask(origin, port))).toMatchObject({ code: 'proxy_failed', blame: 'route' });
    site = await startSite(() => {});
  });
});

describe.skipIf(!programs.tinyproxy)(`tinyproxy${notice(programs.tinyproxy ? '' : 'tinyproxy')}`, () => {
  const account = 'BasicAuth someone pass-word';

  test('takes credentials, and says so when they are wrong', async () => {
    const port = await tinyproxy([account]);
    expect((await ask(site.origin, port, { credentials: 'someone:pass-word@' })).status).toBe(200);
    expect((await ask(secureSite.origin, port, { credentials: 'someone:pass-word@' })).status).toBe(200);
    const named = { credentials: 'someone:pass-word@', resolvesNames: true };
    expect((await ask(site.origin, port, named)).status).toBe(200);
    for (const resolvesNames of [false, true])
      for (const credentials of ['someone:wrong@', '']) {
        const failure = await failureOf(ask(site.origin, port, { credentials, resolvesNames }));
        expect(failure).toMatchObject({ code: 'proxy_failed' });
        expect(failure.message).toMatch(/user name (or|and) password/);
      }
  });

  test('that is killed fails as the proxy', async () => {
    const port = await tinyproxy([]);
    expect((await ask(site.origin, port)).status).toBe(200);
    if (!proxy) throw new Error('it is not there');
    const ended = once(proxy.process, 'exit');
    proxy.process.kill('SIGKILL');
    await ended;
    expect(await failureOf(ask(site.origin, port))).toMatchObject({ code: 'proxy_failed', blame: 'proxy' });
  });
});
