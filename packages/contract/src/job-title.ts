interface Titled {
  readonly id: string;
  readonly url?: string | null;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Of the item, where the payload is not told. */
  readonly title?: string | null;
  readonly source_id?: string | null;
}

/** What a job is about: its URL, or the item whose prices it collects and from whom. */
export function jobTitle({ id, url, payload, title, source_id }: Titled): string {
  const page = url ?? payload?.['url'];
  if (typeof page === 'string') return page;
  const item = title ?? itemOf(payload);
  if (item === undefined) return source_id ?? id;
  return source_id ? `${item} · ${source_id}` : item;
}

/** Of a collection: the item by its title, else by the id of its intake. */
export function itemOf(payload: Readonly<Record<string, unknown>> = {}): string | undefined {
  const { title, intake_id } = payload;
  if (typeof title === 'string') return title;
  return typeof intake_id === 'string' ? `intake ${intake_id}` : undefined;
}
