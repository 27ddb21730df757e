import type { Page, PageContent } from '../../pages/stored/page.ts';
import type { SignInForm } from '../../web/html/sign-in-form.ts';
import type { ContentProof } from '../../web/traps/trap-detector.ts';

/** The result of parsing a body. */
export interface ReadBody {
  readonly page: Partial<Page> & { content: PageContent };
  /** Hashes of this body by the rules of 0.2, if the baseline's hash differs. */
  readonly earlierHashes?: readonly string[] | undefined;
  /** Set for a page whose URL may be part of a trap. */
  readonly proof?: ContentProof | undefined;
  /** Canonical URLs to follow; none with nofollow. */
  readonly links: readonly string[];
  /** A sign-in form, if requested. */
  readonly signInForm?: SignInForm | undefined;
  /** Counts of dropped links, by reason. */
  readonly leftOut?: Readonly<Record<string, number>> | undefined;
}
