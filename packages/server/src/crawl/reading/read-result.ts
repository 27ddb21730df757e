import type { Page, PageContent } from '../../pages/stored/page.ts';
import type { SignInForm } from '../../web/html/sign-in-form.ts';
import type { ContentProof } from '../../web/traps/trap-detector.ts';

/** What the body of a page yields. */
export interface ReadBody {
  readonly page: Partial<Page> & { content: PageContent };
  /** Hashes of this body by version 0.2, if the baseline has another than ours. */
  readonly earlierHashes?: readonly string[] | undefined;
  /** Set for a page whose URL may be part of a trap. */
  readonly proof?: ContentProof | undefined;
  /** Canonical URLs to follow; none when the page asks not to follow its links. */
  readonly links: readonly string[];
  /** A form to sign in with, where one is looked for. */
  readonly signInForm?: SignInForm | undefined;
  /** Numbers of links that are left out, by reason. */
  readonly leftOut?: Readonly<Record<string, number>> | undefined;
}
