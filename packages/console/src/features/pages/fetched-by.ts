import { type ListedPage, renderReasons } from '@holdfast/contract';

type How = Pick<ListedPage, 'outcome' | 'rendered' | 'render_reason'>;

/** How a page was fetched, in a few words; null if it was not. */
export function fetchedBy({ outcome, rendered, render_reason: reason }: How): string | null {
  if (outcome !== 'fetched') return null;
  if (rendered) return 'browser';
  return reason === 'no_browser' || reason === 'render_failed' ? 'HTTP, not rendered' : 'HTTP';
}

/** The same with the reason. */
export function fetchedByText(page: How): string | null {
  const how = fetchedBy(page);
  if (how === null || page.render_reason === null) return how;
  return `${how}: ${renderReasons[page.render_reason]}`;
}
