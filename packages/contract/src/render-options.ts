import { z } from 'zod';
import { text } from './text-fields.ts';

export const renderModes = ['never', 'auto', 'always'] as const;
export type RenderMode = (typeof renderModes)[number];

const selector = text(500).describe('CSS selector');
const isOptional = z
  .boolean()
  .optional()
  .describe('if the element is missing, skip the action after 3 seconds instead of failing the page');

/** What is done in a rendered page before it is read. */
export const pageAction = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('wait'),
        milliseconds: z.int().min(0).max(60_000).optional(),
        selector: selector.optional(),
        optional: isOptional,
      })
      .refine(
        ({ milliseconds, selector }) => (milliseconds === undefined) !== (selector === undefined),
        'must have either milliseconds or selector',
      ),
    z.strictObject({ type: z.literal('click'), selector, optional: isOptional }),
    z.strictObject({ type: z.literal('type'), selector, text: z.string().max(10_000), optional: isOptional }),
    z.strictObject({ type: z.literal('press'), key: text(50).describe('such as Enter or ArrowDown') }),
    z.strictObject({
      type: z.literal('scroll'),
      direction: z.enum(['up', 'down']).default('down'),
      amount: z.int().min(1).max(100_000).optional().describe('pixels; default: 800'),
    }),
    z.strictObject({
      type: z.literal('evaluate'),
      script: text(20_000).describe('JavaScript to run in the page; who may use it: HOLDFAST_EVALUATE'),
    }),
  ])
  .meta({ id: 'PageAction' });
export type PageAction = z.output<typeof pageAction>;

/** Why a page may need JavaScript. */
export const suspicions = {
  hash_route: 'its address after the # is a page of its own',
  empty: 'it came almost without text',
  noscript: 'it asks to enable JavaScript',
  thin: 'it came with little text for its size',
  mount: 'it came with an empty list, place or skeleton for a script to fill',
  data: 'it came with more data for scripts than text',
  clicks: 'it has elements that lead on by a click alone',
  no_links: 'it came without links',
  markup: 'its markup is that of an app',
  script: 'it has a script that may add to it',
} as const;
export type Suspicion = keyof typeof suspicions;

/** Why a page ran in a browser; or why it did not, although it may need JavaScript. */
export const renderReasons = {
  always: 'every page of this crawl or source is rendered',
  screenshot: 'the crawl takes screenshots',
  actions: 'the crawl performs actions',
  ...suspicions,
  complete: 'rendering pages like it added nothing',
  no_browser: 'there was no browser',
  render_failed: 'it could not be rendered, and came with text',
} as const;
export type RenderReason = keyof typeof renderReasons;
export const renderReasonNames = Object.keys(renderReasons) as [RenderReason, ...RenderReason[]];

/** Options of crawls and visits for pages that run in a browser. */
export const renderFields = {
  render: z
    .enum(renderModes)
    .default('auto')
    .describe(
      'render pages in a browser: never, always, or auto (only those that need JavaScript; a source may decide otherwise)',
    ),
  wait_for: z
    .union([z.int().min(0).max(60_000), text(500)])
    .optional()
    .describe('in rendered pages, wait for this CSS selector or number of milliseconds'),
  actions: z
    .array(pageAction)
    .max(50)
    .optional()
    .describe('actions to perform in every rendered page before it is read; renders all pages'),
  load_media: z
    .boolean()
    .default(false)
    .describe('let rendered pages load images, fonts, media and trackers'),
};

/** Whether a payload has a script of its sender run in pages. */
export function evaluates(payload: object): boolean {
  const { actions } = payload as { readonly actions?: unknown };
  return Array.isArray(actions) && actions.some((action) => action?.type === 'evaluate');
}

interface RenderChoice {
  readonly render: RenderMode;
  readonly actions?: readonly PageAction[] | undefined;
  readonly screenshot?: boolean | string;
}

/** Refuses options that only a browser can serve, beside `render: never`. */
export function checkRendering(
  { render, actions, screenshot = false }: RenderChoice,
  { addIssue }: z.RefinementCtx,
): void {
  if (render !== 'never') return;
  const needs = { screenshot: screenshot !== false, actions: (actions?.length ?? 0) > 0 };
  for (const [name, isNeeded] of Object.entries(needs))
    if (isNeeded)
      addIssue({
        code: 'custom',
        path: [name],
        message: 'must not be set with render: never: it needs a browser',
      });
}

/** Whether every page has to run in a browser, because nothing else can do what is asked. */
export function rendersAll({ render, actions, screenshot = false }: RenderChoice): boolean {
  return render === 'always' || screenshot !== false || (actions?.length ?? 0) > 0;
}
