import { describe, expect, test } from 'vitest';
import { asksToSignIn, findSignInForm } from '../../web/html/sign-in-form.ts';
import { SignInJudge } from './sign-in-judge.ts';

const origin = 'https://example.com';
const loginPage = '<title>Sign in</title><form action=/login><input name=u><input type=password></form>';
const plainLogin = '<title>Acme</title><p>Welcome</p><form action=/x><input type=password></form>';
const content = (n: number) => `<title>Report ${n}</title><p>Numbers of week ${n}</p>`;
const withBox = (n: number) => `${content(n)}<form action=/login><input name=u><input type=password></form>`;
const judgeAll = (pages: readonly string[]) => {
  const judge = new SignInJudge();
  return pages.map((html, n) => judge.judge(`${origin}/p${n}`, findSignInForm(html, `${origin}/p${n}`)));
};

describe('a page in the place of the content', () => {
  test('is noticed at once if it says what it is', () => {
    expect(judgeAll([loginPage])).toEqual(['expired']);
  });

  test('is noticed when pages before it had no form', () => {
    expect(judgeAll([content(1), content(2), loginPage])).toEqual(['content', 'content', 'expired']);
  });

  test('is noticed at the second URL if it does not say what it is', () => {
    expect(judgeAll([content(1), plainLogin, plainLogin]).at(-1)).toBe('expired');
  });
});

test('pages with an ordinary login box are content', () => {
  const pages = Array.from({ length: 30 }, (_, n) => withBox(n));
  const verdicts = judgeAll(pages);
  expect(verdicts.slice(1)).toEqual(pages.slice(1).map(() => 'content'));
  expect(verdicts[0]).toBe('unsure');
});

test('answers ask to sign in with 401, or lead there', () => {
  const at = `${origin}/private`;
  expect(asksToSignIn(at, { status: 401, location: undefined })).toBe('HTTP 401');
  expect(asksToSignIn(at, { status: 302, location: `${origin}/login?next=/private&token=secret` })).toBe(
    `HTTP 302 to ${origin}/login`,
  );
  expect(asksToSignIn(at, { status: 302, location: `${origin}/elsewhere` })).toBeUndefined();
  expect(asksToSignIn(`${origin}/login`, { status: 302, location: `${origin}/login/sso` })).toBeUndefined();
  expect(asksToSignIn(at, { status: 403, location: undefined })).toBeUndefined();
});
