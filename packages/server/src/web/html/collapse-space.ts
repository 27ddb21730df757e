const runsOfSpace = /[\t\n\f\r ]+/g;
const needsWork = /[\t\n\f\r]| {2}|^ | $/;

/** One space for each run of HTML whitespace, none at the ends. A no-break space is text. */
export function collapseSpace(text: string): string {
  return needsWork.test(text) ? text.replace(runsOfSpace, ' ').trim() : text;
}
