import { urlHash } from '../../web/urls/hashes.ts';

/** Device names on Windows, whatever their extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/;
const maxNameBytes = 80;
/** Windows allows 260 characters for the whole path; the rest is left for the folder. */
const maxPathLength = 160;

/**
 * File names for a page in order of preference; the next is for when another page has the one before. Lower case letters, digits and
 * `-_.~` only, so that they mean the same on every file system, and never outside the folder.
 */
export function pagePaths(url: string, seedHost: string): string[] {
  const hash = urlHash(url).replaceAll('-', '');
  const bare = barePath(url, seedHost, hash);
  return [`${bare}.md`, `${bare}-${hash.slice(0, 8)}.md`, `${bare}-${hash}.md`];
}

function barePath(url: string, seedHost: string, hash: string): string {
  const { host, pathname, search } = new URL(url);
  const folders = pathname.split('/').slice(1);
  const last = folders.pop() ?? '';
  const stem = safeName(last.replace(/\.(html?|xhtml|md)$/i, '') || 'index');
  const name = search.length > 1 ? `${stem}_${safeName(search.slice(1))}` : stem;
  const parts = folders.filter((folder) => folder !== '').map(folderName);
  if (withoutWww(host) !== withoutWww(seedHost)) parts.unshift(folderName(host));
  const path = [...parts, name].join('/');
  return path.length <= maxPathLength ? path : `${path.slice(0, path.indexOf('/') + 1).slice(0, 100)}${hash}`;
}

/** Keeps folders apart from files: /docs is docs.md, and /docs.md/x goes into docs.md_. */
function folderName(text: string): string {
  const name = safeName(text);
  return name.endsWith('.md') ? `${name}_` : name;
}

function safeName(text: string): string {
  const plain = decoded(text)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}._~-]+/gu, '-')
    .replace(/^[.~-]+/, '_')
    .replace(/[.-]+$/, '');
  const name = reserved.test(plain) || plain === '' ? `${plain}_` : plain;
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  return `${cutToBytes(name, maxNameBytes - 9)}-${urlHash(text).slice(0, 8)}`;
}

function cutToBytes(text: string, bytes: number): string {
  let cut = '';
  let used = 0;
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (used > bytes) break;
    cut += character;
  }
  return cut;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, '');
}
