/** Functions that run inside the page. Playwright sends their source text, so they use nothing from outside themselves. */

/** Resolves once the DOM has not changed for `quietMs`, or after `capMs`: true when it was quiet. */
export function waitForQuietDom(options: { quietMs: number; capMs: number }): Promise<boolean>;

/** The document as text. Open shadow trees stand where a reader sees them: slots hold what is assigned to them. */
export function serializeDocument(maxLength: number): string;
