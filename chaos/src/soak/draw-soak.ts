import { percentile } from '../percentile.ts';
import type { Misfortune, MisfortuneKind } from './misfortunes.ts';
import type { Sample } from './sampler.ts';
import { type Series, type SeriesName, series, seriesNames } from './series.ts';

const [width, panelHeight, gap] = [860, 110, 46];
const [left, right, top] = [56, 16, 64];
const inks = ['#1f6f8b', '#c2571a', '#5b7f2b', '#8b5fa8'];
const marks: Partial<Record<MisfortuneKind, string>> = {
  database: '#b3261e',
  worker: '#8a8a8a',
  drain: '#8a8a8a',
};

/** Small panels under one another, all with the same minutes; lines down through them where something was broken. */
export function drawSoak(samples: readonly Sample[], plan: readonly Misfortune[], title: string): string {
  const minutes = Math.max(1, samples.at(-1)?.at ?? 1);
  const panels = [...new Set(seriesNames.map((name) => series[name].panel))];
  const height = top + panels.length * (panelHeight + gap);
  const x = (at: number) => left + (at / minutes) * (width - left - right);
  const drawn = panels.map((panel, index) =>
    drawPanel(panel, { samples, x, minutes, y: top + index * (panelHeight + gap) }),
  );
  const bottom = height - gap;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11" fill="#333">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${left}" y="22" font-size="15" font-weight="600">${escaped(title)}</text>
<text x="${left}" y="38" fill="#666">Red lines: PostgreSQL restarted. Grey: a worker killed or replaced. Kills of runners and pauses are not drawn.</text>
${plan.flatMap(({ kind, second }) => drawMark(x(second / 60), bottom, marks[kind])).join('\n')}
${drawn.join('\n')}
<text x="${width - right}" y="${height - 12}" text-anchor="end" fill="#666">minutes</text>
</svg>
`;
}

function drawMark(x: number, bottom: number, ink: string | undefined): string[] {
  if (!ink || x > width - right) return [];
  return [
    `<line x1="${px(x)}" x2="${px(x)}" y1="${top}" y2="${px(bottom)}" stroke="${ink}" stroke-width="0.6" opacity="0.45"/>`,
  ];
}

interface Panel {
  readonly samples: readonly Sample[];
  readonly x: (at: number) => number;
  readonly minutes: number;
  readonly y: number;
}

function drawPanel(panel: string, { samples, x, minutes, y }: Panel): string {
  const names = seriesNames.filter((name) => series[name].panel === panel);
  const values = samples.flatMap((sample) => names.flatMap((name) => sample.values[name] ?? []));
  // A few wild values are cut off at the upper edge, so that the rest can be read.
  const most = roundUp(percentile(values, 0.995) || 1);
  const at = (value: number) => y + panelHeight - (Math.min(value, most) / most) * panelHeight;
  const { unit }: Series = series[names[0] ?? 'api'];
  const levels = [0, most / 2, most].map(
    (level) =>
      `<line x1="${left}" x2="${width - right}" y1="${px(at(level))}" y2="${px(at(level))}" stroke="#ddd" stroke-width="0.7"/>` +
      `<text x="${left - 6}" y="${px(at(level) + 4)}" text-anchor="end" fill="#666">${shortly(level)}</text>`,
  );
  const every = Math.max(1, Math.ceil(minutes / 10));
  const ticks = Array.from({ length: Math.floor(minutes / every) + 1 }, (_, n) => n * every).map(
    (minute) =>
      `<text x="${px(x(minute))}" y="${y + panelHeight + 14}" text-anchor="middle" fill="#666">${minute}</text>`,
  );
  const lines = names.map((name, index) => drawLine(name, inks[index] ?? '#333', { samples, x, at }));
  let keyAt = left;
  const keys = names.map((name, index) => {
    const text = `${series[name].title}${index === 0 && unit ? ` (${unit.replace('/s', 'per second')})` : ''}`;
    const drawn = `<text x="${keyAt}" y="${y - 6}" fill="${inks[index] ?? '#333'}">${escaped(text)}</text>`;
    keyAt += text.length * 6.2 + 18;
    return drawn;
  });
  return [...levels, ...ticks, ...lines, ...keys].join('\n');
}

/** Broken where something could not be measured. */
function drawLine(
  name: SeriesName,
  ink: string,
  { samples, x, at }: Pick<Panel, 'samples' | 'x'> & { at: (value: number) => number },
): string {
  let path = '';
  let isDown = false;
  for (const { at: minute, values } of samples) {
    const value = values[name];
    if (value !== undefined) path += `${isDown ? 'L' : 'M'}${px(x(minute))} ${px(at(value))}`;
    isDown = value !== undefined;
  }
  return `<path d="${path}" fill="none" stroke="${ink}" stroke-width="1.4" stroke-linejoin="round"/>`;
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  const step = [1, 1.5, 2, 3, 4, 5, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return Math.max(step * power, 1e-9);
}

function shortly(value: number): string {
  return value >= 10_000 ? `${Math.round(value / 1000)}k` : String(Math.round(value * 10) / 10);
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
