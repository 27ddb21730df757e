import 'uplot/dist/uPlot.min.css';
import './plain-language.ts';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import styles from './chart.module.css';
import { axisText } from './count-text.ts';

interface Series {
  readonly label: string;
  /** Names a token: chart-1 … chart-4, or the colour of a status. */
  readonly colour: string;
  /** null: a gap; undefined: another series has a value there. */
  readonly values: readonly (number | null | undefined)[];
  /** bare: a line without fill. */
  readonly look?: 'line' | 'bare' | 'bars' | 'points';
}

interface ChartProps {
  readonly label: string;
  /** Seconds of the epoch, or positions when `labels` are given, or anything else that has a `range`. */
  readonly x: readonly number[];
  readonly series: readonly Series[];
  readonly labels?: readonly string[];
  readonly range?: readonly [number, number];
  readonly height?: number;
  /** The axis begins at 0 unless only differences matter. */
  readonly fromZero?: boolean;
  /** Vertical marks, with their names. */
  readonly marks?: readonly Mark[];
}

interface Mark {
  readonly at: number;
  readonly label: string;
  readonly isStrong?: boolean;
}

const none: readonly Mark[] = [];
/** Counts are integers. */
const wholeSteps = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 13 }, (_, power) => step * 10 ** power))
  .sort((a, b) => a - b);

/** A chart, with its numbers as a table for screen readers. Loaded on demand: use ChartLater. */
export default function Chart({
  label,
  x,
  series,
  labels,
  range,
  height = 180,
  fromZero = true,
  marks = none,
}: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useThemeName();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas keeps the colours of the theme it was drawn in
  useEffect(() => {
    const element = box.current;
    if (!element || x.length === 0) return;
    const style = getComputedStyle(document.documentElement);
    const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const axis = {
      stroke: token('ink-faint'),
      grid: { stroke: token('line'), width: 1 },
      ticks: { show: false },
    };
    const hasBars = series.some(({ look }) => look === 'bars');
    const step = ((x.at(-1) ?? 0) - (x[0] ?? 0)) / Math.max(1, x.length - 1);
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: series.length > 1, live: false },
        padding: [8, 10, 0, 0],
        cursor: { points: { size: 6 } },
        scales: {
          x: {
            time: labels === undefined && range === undefined,
            ...(range && { range: [...range] as [number, number] }),
            ...(hasBars && !range && { range: (_plot, min, max) => [min - step / 2, max + step / 2] }),
          },
          y: {
            // Labels of marks are drawn on top.
            range: (_plot, min, max) =>
              fromZero ? [0, Math.max(1, max * (marks.length > 0 ? 1.4 : 1.1))] : around(min, max),
          },
        },
        axes: [
          {
            ...axis,
            size: 34,
            values: (plot: uPlot, splits: number[]) =>
              splits.map((at) => (range ? axisText(at) : labels ? labels[at] : timeText(at, plot)) ?? ''),
            ...(labels && { incrs: [1, 2, 5, 10, 20, 50, 100] }),
          },
          {
            ...axis,
            size: (_plot: uPlot, values: string[] | null) =>
              14 + 7.5 * Math.max(2, ...(values ?? []).map(({ length }) => length)),
            values: (_plot: uPlot, splits: number[]) => splits.map(axisText),
            // Series that begin at 0 are counts.
            ...(fromZero && { incrs: wholeSteps }),
          },
        ],
        series: [
          {},
          ...series.map(({ label: name, colour, look = 'line' }) => ({
            label: name,
            stroke: token(colour),
            width: look === 'points' ? 0 : 2,
            fill:
              look === 'points' || look === 'bare'
                ? undefined
                : `color-mix(in srgb, ${token(colour)} 16%, transparent)`,
            points: { show: look === 'points' || x.length < 2, size: 6, fill: token(colour) },
            ...(look === 'bars' && uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.7, 60] }) }),
          })),
        ] as uPlot.Series[],
        hooks: { draw: [(drawn) => drawMarks(drawn, marks, token)] },
      },
      [[...x], ...series.map(({ values }) => [...values])] as uPlot.AlignedData,
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [x, series, labels, range, height, fromZero, marks, theme]);
  return (
    <figure className={styles.chart}>
      <div ref={box} role="img" aria-label={label} />
    </figure>
  );
}

const ofDay = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const ofYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** The time of day within two days, the date beyond. */
function timeText(at: number, { scales }: uPlot): string {
  const span = (scales['x']?.max ?? 0) - (scales['x']?.min ?? 0);
  return (span <= 172_800 ? ofDay : ofYear).format(at * 1000);
}

function around(min: number, max: number): [number, number] {
  const room = (max - min) * 0.15 || Math.abs(max) * 0.1 || 1;
  return [Math.max(0, min - room), max + room];
}

/** Changes with the theme, whatever changed it. */
function useThemeName(): string {
  const [name, setName] = useState('');
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const read = () => setName(`${document.documentElement.dataset.theme} ${dark.matches}`);
    const watch = new MutationObserver(read);
    watch.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    dark.addEventListener('change', read);
    return () => {
      watch.disconnect();
      dark.removeEventListener('change', read);
    };
  }, []);
  return name;
}

/** Rows of labels from top to bottom; a label that would overlap another moves to the next row. */
function drawMarks(plot: uPlot, marks: readonly Mark[], token: (name: string) => string): void {
  const { ctx, bbox } = plot;
  const ends: number[] = [];
  ctx.save();
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  for (const { at, label, isStrong = false } of marks) {
    const left = plot.valToPos(at, 'x', true);
    ctx.strokeStyle = token(isStrong ? 'ink' : 'ink-faint');
    ctx.fillStyle = token(isStrong ? 'ink' : 'ink-soft');
    ctx.font = `${isStrong ? 'bold ' : ''}${11 * devicePixelRatio}px sans-serif`;
    ctx.setLineDash(isStrong ? [] : [4 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    const free = ends.findIndex((end) => end < left);
    const line = free === -1 ? ends.length : free;
    ends[line] = left + ctx.measureText(label).width + 8 * devicePixelRatio;
    ctx.fillText(label, left + 3, bbox.top + (12 + 13 * line) * devicePixelRatio);
  }
  ctx.restore();
}
