interface Titled {
  readonly id: string;
  readonly url: string | null;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Of the item, where the payload is not told. */
  readonly title?: string | null;
  readonly source_id?: string | null;
}

/** What a job is about: its URL, or the item whose prices it collects and from whom. */
export function jobTitle({ id, url, payload, title, source_id }: Titled): string {
  const item = title ?? payload?.['title'];
  if (url !== null) return url;
  if (typeof item !== 'string') return source_id ?? id;
  return source_id ? `${item} · ${source_id}` : item;
}
