import { expect, test } from 'vitest';
import { describeIssues } from './describe-issues.ts';
import { jobRequest } from './job.ts';
import { evaluates, rendersAll } from './render-options.ts';

function problemOf(payload: object, kind = 'crawl'): string | undefined {
  const { error } = jobRequest.safeParse({ kind, payload: { url: 'https://example.com/', ...payload } });
  return error && describeIssues(error);
}

test('what only a browser can do is refused without one', () => {
  expect(problemOf({ render: 'never', screenshot: true })).toBe(
    'payload.screenshot must not be set with render: never: it needs a browser',
  );
  expect(problemOf({ render: 'never', actions: [{ type: 'press', key: 'End' }] }, 'visit')).toBe(
    'payload.actions must not be set with render: never: it needs a browser',
  );
  expect(problemOf({ render: 'never', actions: [], wait_for: '#list' })).toBeUndefined();
});

test.each([
  [[{ type: 'klick', selector: 'a' }], 'type must be one of wait, click, type, press, scroll, evaluate'],
  [[{ type: 'click' }], 'selector is missing'],
  [[{ type: 'type', selector: '#q' }], 'text is missing'],
  [[{ type: 'wait' }], ' must have either milliseconds or selector'],
  [[{ type: 'wait', milliseconds: 90_000 }], 'milliseconds must be at most 60000'],
  [[{ type: 'click', selector: 'a', timeout: 3 }], 'timeout is not a known field'],
  [[{ type: 'scroll', direction: 'left' }], 'direction must be one of up, down'],
])('a mistake in an action is named: %j', (actions, problem) => {
  expect(problemOf({ actions })).toBe(`payload.actions[0]${problem.startsWith(' ') ? '' : '.'}${problem}`);
});

test('actions and screenshots need every page rendered, a wait does not', () => {
  expect(rendersAll({ render: 'auto' })).toBe(false);
  expect(rendersAll({ render: 'auto', screenshot: 'full_page' })).toBe(true);
  expect(rendersAll({ render: 'auto', actions: [{ type: 'press', key: 'End' }] })).toBe(true);
});

test('a script is found in whatever was sent', () => {
  expect(evaluates({ actions: [{ type: 'wait' }, { type: 'evaluate', script: '1' }] })).toBe(true);
  for (const actions of [undefined, null, 'evaluate', [null], [{ type: 'click' }]])
    expect(evaluates({ actions })).toBe(false);
});
