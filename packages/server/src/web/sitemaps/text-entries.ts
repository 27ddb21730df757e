import { isTooLong, listedUrl, type SitemapEntry } from './sitemap-entry.ts';

const longestLine = 64 * 1024;

/** Finds the URLs of a text file, one in a line; other lines are passed over. */
export class TextEntries {
  found: SitemapEntry[] = [];
  /** URLs that are longer than any may be. */
  tooLong = 0;
  #rest = '';

  write(chunk: string): void {
    const lines = (this.#rest + chunk).split(/\r\n|\r|\n/);
    this.#rest = (lines.pop() as string).slice(0, longestLine);
    for (const line of lines) this.#add(line);
  }

  end(): void {
    this.#add(this.#rest);
    this.#rest = '';
  }

  #add(line: string): void {
    const url = listedUrl(line);
    if (url === null && isTooLong(line)) this.tooLong++;
    if (url !== null && !url.startsWith('/')) this.found.push({ kind: 'page', url });
  }
}
