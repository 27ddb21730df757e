import { accessSync, constants, createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

/** Where a browser was found, or how to get one. */
export type FoundBrowser =
  | { readonly path: string; readonly from: 'HOLDFAST_BROWSER' | 'system' | '@sparticuz/chromium' }
  | { readonly path: undefined; readonly hint: string };

const names = [
  'chromium',
  'chromium-browser',
  'chromium-headless-shell',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
];

const macPrograms = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const browserHint =
  'Install Chromium (Debian: `apt install chromium`), or `npm install @sparticuz/chromium@143`, or set HOLDFAST_BROWSER to the path of one.';

export interface FindBrowserOptions {
  /** HOLDFAST_BROWSER. */
  readonly configured?: string | undefined;
  readonly searchPath?: string | undefined;
  /** The browser of the npm package is unpacked here. */
  readonly cacheFolder?: string | undefined;
}

/** A browser, or the archive of the npm package, which must be unpacked first. */
export type LocatedBrowser =
  | FoundBrowser
  | { readonly archive: string; readonly from: '@sparticuz/chromium' };

/** The configured browser, otherwise the system's, otherwise the npm package's. Starts and unpacks nothing. */
export function locateBrowser(options: FindBrowserOptions = {}): LocatedBrowser {
  const { configured, searchPath = process.env.PATH ?? '' } = options;
  if (configured !== undefined) {
    return isExecutable(configured)
      ? { path: configured, from: 'HOLDFAST_BROWSER' }
      : {
          path: undefined,
          hint: `HOLDFAST_BROWSER is ${configured}, which cannot be run. Correct the path.`,
        };
  }
  const folders = searchPath.split(delimiter).filter(Boolean);
  const system = [
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...macPrograms,
  ].find(isExecutable);
  if (system) return { path: system, from: 'system' };
  const folder = packageFolder();
  const archive = folder && join(folder, 'bin', 'chromium.br');
  return archive && existsSync(archive)
    ? { archive, from: '@sparticuz/chromium' }
    : { path: undefined, hint: browserHint };
}

/** The same, unpacked and ready to start. Downloads nothing. */
export async function findBrowser(options: FindBrowserOptions = {}): Promise<FoundBrowser> {
  const located = locateBrowser(options);
  if (!('archive' in located)) return located;
  const { archive, from } = located;
  return { path: await unpackedBrowser(archive, options.cacheFolder ?? defaultCacheFolder()), from };
}

/** Under root, a folder that other accounts can access, because the browser runs as one of them. */
function defaultCacheFolder(): string {
  if (process.getuid?.() === 0) return '/var/cache/holdfast';
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast');
}

/**
 * The package itself would unpack into the shared folder of temporary files, where another account could have placed a
 * program of that name; and a process killed while it unpacks would leave half a browser.
 */
async function unpackedBrowser(archive: string, cacheFolder: string): Promise<string> {
  const folder = dirname(dirname(archive));
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  const program = join(cacheFolder, `chromium-${version}`);
  if (isExecutable(program)) return program;
  mkdirSync(cacheFolder, { recursive: true, mode: 0o755 });
  const part = `${program}.${process.pid}`;
  try {
    await pipeline(
      createReadStream(archive),
      createBrotliDecompress({ chunkSize: 2 ** 20 }),
      createWriteStream(part, { mode: 0o755 }),
    );
    await rename(part, program);
  } finally {
    await rm(part, { force: true });
  }
  return program;
}

/** Installed next to the server, or in the current folder. */
function packageFolder(): string | undefined {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const entry = createRequire(from).resolve('@sparticuz/chromium');
      const folder = dirname(dirname(dirname(entry)));
      if (existsSync(join(folder, 'package.json'))) return folder;
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
