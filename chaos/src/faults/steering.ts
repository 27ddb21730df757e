import { type ChaosRun, type Fault, scaled } from '../fault.ts';
import { percentileMs } from '../percentile.ts';
import { ApiProcess } from '../processes/api-process.ts';
import type { Crawl } from '../stage/crawl.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { Ledger } from '../stage/ledger.ts';
import { withStage } from '../stage/with-stage.ts';

/** From when on, and until when, nothing of a crawl may be asked for. */
interface Silence {
  readonly crawl: Crawl;
  readonly from: number;
  to: number;
}

const hands = 4;
/** On a machine however busy. */
const settleMs = 30_000;

export const steering: Fault = {
  id: 'F10',
  title: 'pause, resume and cancel at random over HTTP, racing claims and completions',
  run: (run) =>
    withStage(run, { workers: 2, jobsPerWorker: 3 }, async (stage) => {
      const actions = scaled(run, 500, 50);
      const api = await ApiProcess.start(stage);
      const ledger = new Ledger(stage);
      const silences: Silence[] = [];
      const open = new Map<string, Silence>();
      const busy = new Set<string>();
      const acknowledged: number[] = [];
      const answers: Record<string, number> = {};
      let done = 0;
      // Short ones, so that many of them are just beginning or ending.
      await stage.crawls.keep(6, { pages: 60 });
      const act = async () => {
        while (done < actions) {
          const free = stage.crawls.live.filter(({ id }) => !busy.has(id));
          if (free.length === 0) {
            await new Promise((resolve) => setTimeout(resolve, 5));
            continue;
          }
          const crawl = run.random.pick(free);
          const action = choose(run, open.has(crawl.id));
          done++;
          busy.add(crawl.id);
          const asked = performance.now();
          const silence = open.get(crawl.id);
          // From here on the crawl may go on.
          if (action === 'resume' && silence) silence.to = asked;
          const answer = await api.post(`/api/v1/jobs/${crawl.id}/${action}`);
          const { status } = answer;
          // Not acknowledged yet: it will be, and from then on the crawl has to be silent as well.
          const body = status === 202 ? await settled(api, crawl.id) : answer.body;
          answers[`${action}_${status}`] = (answers[`${action}_${status}`] ?? 0) + 1;
          if (status >= 500) run.blame(`${action} was answered with ${status}`);
          if (status < 300 && (body.status === 'paused' || body.status === 'cancelled')) {
            acknowledged.push(performance.now() - asked);
            if (!open.has(crawl.id)) {
              const began = { crawl, from: performance.now(), to: Number.POSITIVE_INFINITY };
              silences.push(began);
              open.set(crawl.id, began);
            }
            if (body.status === 'paused') await ledger.note(crawl, 'pause');
          } else if (action === 'resume' && status === 200) open.delete(crawl.id);
          busy.delete(crawl.id);
          if (done % 100 === 0) run.say(`${done} of ${actions} actions`);
        }
      };
      await Promise.all(Array.from({ length: hands }, act));
      stage.crawls.stopAdding();
      for (const crawl of stage.crawls.live) {
        const silence = open.get(crawl.id);
        if (silence) silence.to = performance.now();
        await api.post(`/api/v1/jobs/${crawl.id}/resume`);
      }
      await stage.crawls.finish();
      const late = silences.reduce((sum, silence) => sum + requestsIn(silence), 0);
      if (late > 0) run.blame(`${late} requests started after a pause or cancel was acknowledged`);
      const figures = await judgeCrawls(stage, { mayBeCancelled: true });
      return {
        actions,
        ...answers,
        acknowledged: acknowledged.length,
        acknowledged_ms_p50: percentileMs(acknowledged, 0.5),
        acknowledged_ms_p95: percentileMs(acknowledged, 0.95),
        requests_after: late,
        ...figures,
      };
    }),
};

async function settled(api: ApiProcess, id: string): Promise<{ status: string }> {
  for (const end = performance.now() + settleMs; ; ) {
    const { body } = await api.get(`/api/v1/jobs/${id}`);
    if (body.status !== 'processing' || body.requested_action === null) return body;
    if (performance.now() > end) throw new Error(`nobody acted on a request to job ${id} in ${settleMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function choose({ random }: ChaosRun, isPaused: boolean): 'pause' | 'resume' | 'cancel' {
  const chance = random.next();
  if (chance < 0.08) return 'cancel';
  return isPaused ? (chance < 0.9 ? 'resume' : 'pause') : chance < 0.85 ? 'pause' : 'resume';
}

function requestsIn({ crawl, from, to }: Silence): number {
  return crawl.origin.log.filter(
    ({ path, at }) => path.startsWith(crawl.section.prefix) && at > from && at < to,
  ).length;
}
