import { expect, test } from 'vitest';
import { findSignInForm, isSignInUrl, isSignOutUrl } from './sign-in-form.ts';

const url = 'https://example.com/private/report';

test('finds the form of a sign-in page', () => {
  const page = `<title>Log in · Example</title><h1>Welcome back</h1>
    <form method=post action="/login?next=/private/report"><input name=user><input type="password" name=p></form>`;
  expect(findSignInForm(page, url)).toMatchObject({
    isNamed: true,
    isForSigningIn: true,
    leadsBack: true,
    isBare: true,
  });
});

test('finds passwords that no form holds', () => {
  expect(findSignInForm('<h2>ログイン</h2><div><input type=password></div>', url)).toMatchObject({
    isNamed: true,
  });
});

test.each([
  ['a page without a password', '<p>How to log in: type your password</p><form><input type=text></form>'],
  ['a form to change it', '<form><input type=password name=old><input type=password name=new></form>'],
])('takes %s for no sign-in form', (_, page) => {
  expect(findSignInForm(page, url)).toBeUndefined();
});

test('tells addresses for signing in and out from others', () => {
  const urls = (paths: readonly string[]) => paths.map((path) => `https://example.com${path}`);
  const signIn = urls([
    '/login',
    '/wp-login.php',
    '/users/sign_in',
    '/account/signin/',
    '/auth/realms/x',
    '/sessions/new',
  ]);
  expect(signIn.filter((one) => !isSignInUrl(one))).toEqual([]);
  expect(isSignInUrl('https://login.example.com/')).toBe(true);
  const others = urls([
    '/',
    '/authors/jane',
    '/blog/login-design-history-of',
    '/catalog/in',
    '/?next=/login',
    '/blogging',
  ]);
  expect(others.filter(isSignInUrl)).toEqual(urls(['/blog/login-design-history-of']));
  const signOut = urls([
    '/logout',
    '/user/logout?x=1',
    '/?action=logout',
    '/accounts/sign_out',
    '/Special:UserLogout',
  ]);
  expect(signOut.filter((one) => !isSignOutUrl(one))).toEqual([]);
  expect(urls(['/', '/layout', '/blogoutline', '/outlook']).filter(isSignOutUrl)).toEqual([]);
});
