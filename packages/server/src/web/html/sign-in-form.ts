/** Evidence that a page is a sign-in page. */
export interface SignInForm {
  /** In title, headline or button. */
  readonly isNamed: boolean;
  /** The form posts to a sign-in URL, or asks for the current password. */
  readonly isForSigningIn: boolean;
  /** The form leads back to this page. */
  readonly leadsBack: boolean;
  /** The page has little other content. */
  readonly isBare: boolean;
  /** The visible text: a sign-in page is the same at every URL. */
  readonly text: string;
}

/** Maximum words outside the form for a page with little other content. */
const fewWords = 80;
const lookedAt = 512 * 1024;

const passwordField = /<input\b[^>]{0,2000}?\btype\s*=\s*["']?password\b[^>]{0,2000}>/gi;
const form = /<form\b[\s\S]*?(?:<\/form\s*>|$)/gi;
const words =
  /\b(?:log[ -]?in|log ?on|sign[ -]?in|sign ?on|anmeld(?:en|ung)|einloggen|connexion|se connecter|identifiez-vous|iniciar sesi[oó]n|acceder|accedi|inloggen|aanmelden|entrar|fazer login|logga in|log ind|logg inn|kirjaudu|zaloguj|giriş yap)(?![a-z])|přihlás|войти|вход|登录|登錄|登入|ログイン|サインイン|로그인|đăng nhập/i;

/**
 * Undefined: the page has no form with exactly one password field. Forms with two are for changing a password or
 * signing up.
 */
export function findSignInForm(html: string, url: string): SignInForm | undefined {
  const page = html.slice(0, lookedAt);
  if (!/password/i.test(page)) return undefined;
  const forms = page.match(form) ?? [];
  const own = forms.find((one) => (one.match(passwordField) ?? []).length === 1);
  // Some pages have no form element: a script sends the input.
  if (
    !own &&
    (forms.some((one) => passwordField.test(one)) || (page.match(passwordField) ?? []).length !== 1)
  )
    return undefined;
  const [title = ''] = page.match(/<title\b[^>]*>[\s\S]{0,1000}?<\/title/i) ?? [];
  const headlines = page.match(/<h[1-3]\b[^>]*>[\s\S]{0,1000}?<\/h[1-3]/gi) ?? [];
  const [tag = ''] = own?.match(/<form\b[^>]*>/i) ?? [];
  const action = /\baction\s*=\s*["']?([^"'\s>]+)/i.exec(tag)?.[1] ?? '';
  const { pathname } = new URL(url);
  const outside = textOf(own ? page.replace(own, ' ') : page);
  return {
    isNamed: [title, ...headlines].some((text) => words.test(textOf(text))),
    isForSigningIn: isSignInPath(action) || /autocomplete\s*=\s*["']?current-password/i.test(page),
    leadsBack:
      own !== undefined &&
      pathname.length > 1 &&
      [pathname, encodeURIComponent(pathname)].some((path) => own.includes(path)),
    isBare: outside.split(' ').length <= fewWords,
    text: textOf(page),
  };
}

function textOf(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<(script|style|noscript|template|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const around = (names: string) => new RegExp(`(?:^|[/._?&=:-])(?:${names})(?:[/._?&=:-]|$)`, 'i');
const signIn = around(
  'wp-login|(?:user|member|customer|account)?(?:log-?_?in|log-?_?on|sign-?_?in|sign-?_?on)|authenticate|auth|sso|saml2?|oauth2?|anmelden|anmeldung|einloggen|connexion|iniciar-sesion|acceder|accedi|inloggen|session(?:s)?/new',
);
const signOut = around(
  '(?:user|member|customer|account)?(?:log-?_?out|log-?_?off|sign-?_?out|sign-?_?off)|abmelden|ausloggen|deconnexion|cerrar-sesion|uitloggen|session(?:s)?/destroy',
);
const signInHost = /^(?:login|signin|sso|auth|idp|accounts?)\./i;

function isSignInPath(path: string): boolean {
  return signIn.test(path.split(/[?#]/)[0] ?? '');
}

/** Whether a URL looks like a sign-in page. */
export function isSignInUrl(url: string): boolean {
  const { hostname, pathname } = new URL(url);
  return signInHost.test(hostname) || isSignInPath(pathname);
}

/** Whether a URL looks like a sign-out link. */
export function isSignOutUrl(url: string): boolean {
  return signOut.test(url.slice(url.indexOf('/', 8)));
}

/** Why a response shows that the sign-in has expired; undefined: it does not. */
export function asksToSignIn(
  url: string,
  { status, location }: { readonly status: number; readonly location: string | undefined },
) {
  if (status === 401) return 'HTTP 401';
  if (location === undefined || isSignInUrl(url) || !isSignInUrl(location)) return undefined;
  return `HTTP ${status} to ${withoutQuery(location)}`;
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
