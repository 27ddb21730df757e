import { expect, test } from 'vitest';
import { statusFailure } from './status-failure.ts';

test.each([
  [204, 'There was nothing to fetch: the site answered HTTP 204 (No Content)'],
  [206, 'There was nothing to fetch: the site answered HTTP 206 (Partial Content)'],
  [299, 'There was nothing to fetch: the site answered HTTP 299'],
  [304, 'There was nothing to fetch: the site answered HTTP 304 (Not Modified)'],
  [404, 'The site refused the page (4xx): HTTP 404'],
])('an answer %i is called what it is', (status, message) => {
  expect(statusFailure(status).message).toBe(message);
});
