import type { Spread } from '../statistics.ts';

export interface Bar {
  readonly label: string;
  readonly value: Spread;
  /** Ours stands out. */
  readonly ours?: boolean;
}

const width = 720;
const labelWidth = 190;
const figureWidth = 90;
const rowHeight = 30;
const barHeight = 16;
const top = 34;

/** Medians as bars with a line from the least to the most; an SVG that reads in light and in dark. */
export function barChart(title: string, bars: readonly Bar[], format: (value: number) => string): string {
  const room = width - labelWidth - figureWidth;
  const most = Math.max(...bars.map(({ value }) => value.max));
  const x = (value: number) => round(labelWidth + (value / most) * room);
  const height = top + bars.length * rowHeight + 6;
  const rows = bars.map(({ label, value, ours }, index) => {
    const y = top + index * rowHeight;
    const middle = y + barHeight / 2;
    return [
      `<text x="${labelWidth - 10}" y="${middle + 4}" text-anchor="end"${ours ? ' font-weight="600"' : ''}>${escapeXml(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${round(x(value.median) - labelWidth)}" height="${barHeight}" rx="2" class="${ours ? 'ours' : 'bar'}"/>`,
      `<path d="M${x(value.min)} ${middle}H${x(value.max)}" class="spread"/>`,
      `<text x="${round(x(value.max) + 8)}" y="${middle + 4}">${escapeXml(format(value.median))}</text>`,
    ].join('\n  ');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}" font-family="system-ui, sans-serif" font-size="13">
  <style>text{fill:#24303c}.bar{fill:#a9b8c6}.ours{fill:#0f7b6c}.spread{stroke:#24303c;stroke-width:1.5}@media (prefers-color-scheme:dark){text{fill:#dbe4ec}.bar{fill:#566675}.ours{fill:#2fb39f}.spread{stroke:#dbe4ec}}</style>
  <text x="0" y="16" font-weight="600">${escapeXml(title)}</text>
  ${rows.join('\n  ')}
</svg>
`;
}

const round = (value: number) => Number(value.toFixed(1));

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
