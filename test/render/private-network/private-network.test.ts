import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserForTests } from '../../../packages/server/src/browser/testing/open-pool.ts';
import { forbiddenUrls } from '../../../packages/server/src/web/fetch/testing/forbidden-urls.ts';
import { bundleProgram } from '../../bundle-program.ts';
import type { AttackOrders, AttackReport } from './attack-program.ts';

/*
 * A browser with hostile pages in a network where every address is this machine: what it reaches is counted at our own
 * sockets, whatever the address, the port or the protocol.
 */
const browser = await browserForTests();
const inNetwork = ['-n', 'sh', '-c'];
const setUp = [
  'ip link set lo up',
  // WebRTC looks for an interface that is not loopback before it sends anything.
  'ip link add eth9 type veth peer name eth8',
  'ip link set eth8 up',
  'ip addr add 198.51.100.2/24 dev eth9',
  'ip link set eth9 up',
  'ip route add default via 198.51.100.1',
  'ip -4 route add local default dev lo',
  'ip -6 route add local default dev lo',
].join(' && ');
const hasNetwork = spawnSync('unshare', [...inNetwork, setUp], { stdio: 'ignore' }).status === 0;
if (browser && !hasNetwork)
  console.warn(
    'Skipped: the test of all addresses needs a network namespace (root, unshare and ip of iproute2).',
  );

const vectors = join(process.env.CONFORMANCE_DATA ?? '../shared/conformance', 'ssrf/vectors.json');
const listed = existsSync(vectors)
  ? (JSON.parse(readFileSync(vectors, 'utf8')) as { url: string; expect: 'BLOCK' | 'ALLOW' }[])
  : [];
if (browser && hasNetwork && listed.length === 0)
  console.warn(
    'Skipped: the SSRF vectors of the conformance data, which are not there (set CONFORMANCE_DATA).',
  );

const victim = 'http://127.0.0.1:7320/';
const own = [
  victim,
  'http://[::1]:7320/',
  'http://[::ffff:127.0.0.1]:7320/',
  'http://10.1.2.3:7320/',
  'http://rebind.example/',
  'http://mixed.example:7320/',
];
/** To a browser, many spellings are one place; what comes of those is tested beside the guard. */
function onePerPlace(urls: readonly string[]): string[] {
  if (process.env.HOLDFAST_TEST_FULL) return [...urls];
  const places = new Map(
    urls.map((url) => [URL.canParse(url) ? `${new URL(url).protocol}${new URL(url).host}` : url, url]),
  );
  return [...places.values()];
}

const blocked = onePerPlace([
  ...own,
  ...forbiddenUrls,
  ...listed.filter((row) => row.expect === 'BLOCK').map(({ url }) => url),
]);
const reachable = [
  'http://example.com/',
  ...listed.filter((row) => row.expect === 'ALLOW').map(({ url }) => url),
];

let program: string;
let folder: string;
beforeAll(async () => {
  if (!browser || !hasNetwork) return;
  program = await bundleProgram('test/render/private-network/attack-program.ts');
  folder = mkdtempSync(join(tmpdir(), 'holdfast-attack-'));
  chmodSync(folder, 0o755);
});
afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function attack(orders: AttackOrders): Promise<AttackReport> {
  const command = [process.execPath, program, JSON.stringify(orders)];
  const child = spawn('unshare', [...inNetwork, `${setUp} && exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return JSON.parse(output) as AttackReport;
}

/** The browser without what keeps its UDP at home. */
function carelessBrowser(): string {
  const path = join(folder, 'careless.sh');
  const script = `#!/bin/sh
for arg in "$@"; do shift; case "$arg" in --*webrtc-ip-handling-policy=*) ;; *) set -- "$@" "$arg" ;; esac; done
exec '${browser}' "$@"
`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

describe.skipIf(!browser || !hasNetwork)('hostile pages in a browser', { timeout: 240_000 }, () => {
  test('reach no private address, by any way and in any spelling', async () => {
    const { reached, ways, controls, refused, pages, readFile } = await attack({
      browser: browser ?? '',
      targets: [...blocked, ...reachable],
      allowed: [],
      atOnce: 15,
      navigated: 2,
    });
    expect(reached).toEqual({});
    expect(ways).toEqual([]);
    expect(readFile).toBe(false);
    expect(pages).toBe(Math.ceil((blocked.length + reachable.length) / 15) + 3 * 2);
    expect(refused).toBeGreaterThan(blocked.length);
    // They had their chance: what is public was reached.
    expect(controls).toBeGreaterThan(0);
  });

  test('would be seen: without the guard they reach the victim by all of these ways', async () => {
    const { reached, ways } = await attack({
      browser: carelessBrowser(),
      targets: [victim],
      allowed: [victim],
      atOnce: 1,
      navigated: 1,
    });
    expect(reached['tcp 127.0.0.1:7320']).toBeGreaterThan(20);
    const expected = [
      ...[
        'background',
        'beacon',
        'eventsource',
        'fetch',
        'fetch-redirect',
        'font',
        'form',
        'form-redirect',
        'iframe',
      ],
      ...[
        'iframe-redirect',
        'img',
        'img-redirect',
        'import',
        'import-scripts',
        'keepalive',
        'module',
        'object',
      ],
      ...['ping', 'popup', 'popup-redirect', 'post-redirect', 'prefetch', 'script', 'stylesheet', 'udp-7320'],
      ...['video', 'websocket', 'worker-fetch', 'worker-redirect', 'worker-websocket', 'xhr'],
    ];
    expect(expected.filter((way) => !ways.includes(way))).toEqual([]);
  });
});
