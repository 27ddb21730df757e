/** Where the sample site answers, for whoever starts it; the guides name the port that it wanted (0: any). */
export function sampleSiteText(origin: string, wanted: number): string {
  const told = `sample site  ${origin}`;
  if (wanted === 0 || origin.endsWith(`:${wanted}`)) return told;
  return `${told}
  WARNING: port ${wanted}, where guides look for the sample site, is taken by another program. Put the address above in
  its place, or stop that program, or choose another port with --port or HOLDFAST_PORT: the sample site takes the next.`;
}
