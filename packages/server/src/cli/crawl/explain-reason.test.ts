import { expect, test } from 'vitest';
import { explainError } from './explain-reason.ts';

test.each([
  [
    'robots.txt is unreachable; crawling is on hold: http://a.example/robots.txt: The site could not be reached: ECONNREFUSED',
    'The site could not be reached: connection refused (http://a.example)',
  ],
  [
    'robots.txt is unreachable; crawling is on hold: https://a.example/robots.txt: HTTP 503',
    'robots.txt is unreachable; crawling is on hold: https://a.example/robots.txt: HTTP 503',
  ],
  [
    'The host name could not be resolved: EAI_AGAIN',
    'The host name could not be resolved: the name server does not answer',
  ],
  ['The site refused the page (4xx): HTTP 404', 'The site refused the page (4xx): HTTP 404'],
])('%s', (message, plain) => {
  expect(explainError(message)).toBe(plain);
});
