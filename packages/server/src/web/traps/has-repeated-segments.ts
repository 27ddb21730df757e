/** A word four times in a row (`/a/a/a/a`), or a run of words three times (`/a/b/a/b/a/b`). */
const wordRepeats = 4;
const runRepeats = 3;
/** Numbers and single letters repeat in honest paths: map tiles, versions, `/0/0/1`. */
const shortRepeats = 7;
/** A word this often anywhere in one path, with whatever between. */
const occurrences = 6;

/** Whether a path goes in circles, as relative links on error pages make it: `/img/css/img/css/img/css/…`. */
export function hasRepeatedSegments(segments: readonly string[]): boolean {
  const count = segments.length;
  if (count < wordRepeats) return false;
  for (let period = 1; period * 2 <= count; period++) {
    let run = 0;
    for (let i = period; i < count; i++) {
      run = segments[i] === segments[i - period] ? run + 1 : 0;
      const repeats = Math.floor(run / period) + 1;
      if (repeats >= neededRepeats(segments[i] as string, period)) return true;
    }
  }
  if (count < occurrences) return false;
  const seen = new Map<string, number>();
  for (const segment of segments) {
    const times = (seen.get(segment) ?? 0) + 1;
    if (times >= occurrences && !isShort(segment)) return true;
    seen.set(segment, times);
  }
  return false;
}

function neededRepeats(segment: string, period: number): number {
  if (isShort(segment)) return shortRepeats;
  return period === 1 ? wordRepeats : runRepeats;
}

const isShort = (segment: string): boolean => segment.length === 1 || /^\d+$/.test(segment);
