/** Functions that run in the page. Playwright sends their source text, so they cannot use outer variables. */

/**
 * Runs before the page's scripts. Tracks their pending work (requests, timers of at most 1.5 s), detects scroll
 * listeners, and opens closed shadow trees.
 */
export function watchPage(): void;

/**
 * Resolves when nothing is pending and the DOM has not changed for `quietMs`, or after `capMs`: true if it was quiet.
 * Waits `timerMs` for timers after the last change, and `requestMs` for a request.
 */
export function waitForQuiet(options: {
  quietMs: number;
  capMs: number;
  timerMs: number;
  requestMs: number;
}): Promise<boolean>;

/**
 * Scrolls down screen by screen if a script listens to scrolling. Resolves with the new height; undefined if there was
 * no reason to scroll.
 */
export function scrollThrough(options: { capMs: number }): Promise<number | undefined>;

export function scrollToTop(): void;

/**
 * The document as text, without consent overlays. Shadow trees are inlined where they are displayed, and slots contain
 * their assigned nodes.
 */
export function serializeDocument(options: { maxLength: number; url: string }): string;

/**
 * Targets of clicks on buttons and link-like elements without an href. Navigations are blocked, but the page may show
 * another view afterwards.
 */
export function clickedLinks(options: { maxLinks: number }): Promise<string[]>;
