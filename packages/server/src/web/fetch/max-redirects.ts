/** Redirects that lead from one URL to a page, at most. */
export const maxRedirects = 10;
