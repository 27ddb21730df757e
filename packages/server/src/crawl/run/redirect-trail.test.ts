import { expect, test } from 'vitest';
import { RedirectTrail } from './redirect-trail.ts';

test('a redirect closes a loop when others lead from its target back to it', () => {
  const trail = new RedirectTrail();
  expect(trail.leads('a', 'a')).toBe(true);
  expect(trail.leads('b', 'a')).toBe(false);
  trail.add('b', 'c');
  trail.add('c', 'a');
  expect(trail.leads('b', 'a')).toBe(true);
  expect(trail.leads('b', 'd')).toBe(false);
});

test('a loop that the URL at hand only leads into has an end', () => {
  const trail = new RedirectTrail();
  trail.add('b', 'c');
  trail.add('c', 'b');
  expect(trail.leads('b', 'a')).toBe(false);
});
