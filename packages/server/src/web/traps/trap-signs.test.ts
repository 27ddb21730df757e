import { describe, expect, test } from 'vitest';
import { partsOf, signsOf } from './trap-signs.ts';

const today = new Date('2026-03-01T00:00:00Z');
const reasonsOf = (path: string) =>
  signsOf(partsOf(`https://example.com${path}`), today)
    .filter(({ isSuspect }) => isSuspect)
    .map(({ reason }) => reason);

describe('a sign of a trap', () => {
  test.each([
    ...[
      '/p/20310512',
      '/p?id=20310512',
      '/p/99991231/',
      '/part/4711-12',
      '/p?sku=2031-05-12',
      '/p?q=2031/05',
    ],
    ...[
      '/shop?brand=1234567890123',
      '/course?assessment=1234567890123',
      '/x?fortune=1',
      '/x?days=2031-05-12',
    ],
    ...['/x?update=20310512', '/x?candidate=2031-05-12', '/2019/05/03/', '/cal?year=2019&month=5&day=3'],
    ...['/news/2031/05/12/title', '/a/a/a', '/en/docs/en/docs', '/x?strand=a8f5f167f44f4964e6c998dee827110c'],
    ...['/item/3f2b8c1e-6c1d-4c8e-9a55-0b9f7f4e7d10', '/blog/how-to-write-a-crawler-in-2024-and-2025'],
  ])('is not in %s', (path) => expect(reasonsOf(path)).toEqual([]));

  test.each([
    ['/calendar/2031-05', 'trap_calendar'],
    ['/2031/05/12/', 'trap_calendar'],
    ['/events/20310512', 'trap_calendar'],
    ['/cal?startDate=20310512', 'trap_calendar'],
    ['/cal?tribe-bar-date=2031-05-12', 'trap_calendar'],
    ['/cal?year=2031&month=5', 'trap_calendar'],
    ['/log?from=2025-01-01&to=2025-01-31', 'trap_calendar'],
    ['/room?date=2026-03-02T10:30', 'trap_calendar'],
    ['/x?rand=1234567890123', 'trap_session_ids'],
    ['/x?_=1234567890123', 'trap_session_ids'],
    ['/x?csrfToken=a8f5f167f44f4964e6c998dee827110c', 'trap_session_ids'],
    ['/s/a8f5f167f44f4964e6c998dee827110c/cart', 'trap_session_ids'],
  ])('is in %s', (path, reason) => expect(reasonsOf(path)).toEqual([reason]));
});
