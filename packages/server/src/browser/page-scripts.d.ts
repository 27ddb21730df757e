/** Functions that run inside the page. Playwright sends their source text, so they use nothing from outside themselves. */

/**
 * Runs before the scripts of the page. Notes what they have under way (requests, timers of at most 1.5 s), whether they follow
 * scrolling, and opens closed shadow trees.
 */
export function watchPage(): void;

/**
 * Resolves once nothing is under way and the DOM has not changed for `quietMs`, or after `capMs`: true when it was quiet. Waits
 * `timerMs` for timers after the last news, and `requestMs` for a request.
 */
export function waitForQuiet(options: {
  quietMs: number;
  capMs: number;
  timerMs: number;
  requestMs: number;
}): Promise<boolean>;

/**
 * Scrolls down a screen at a time where a script follows scrolling. Resolves with how high all is then; undefined where there
 * is nothing to scroll for.
 */
export function scrollThrough(options: { capMs: number }): Promise<number | undefined>;

export function scrollToTop(): void;

/**
 * The document as text, without overlays that ask for consent. Shadow trees stand where a reader sees them: slots hold what is
 * assigned to them.
 */
export function serializeDocument(options: { maxLength: number; url: string }): string;

/**
 * Where clicks on buttons lead, and on what has no address but behaves like a link. No navigation takes place, but the page may
 * show another view afterwards.
 */
export function clickedLinks(options: { maxLinks: number }): Promise<string[]>;
