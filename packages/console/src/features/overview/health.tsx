import { Link } from '@tanstack/react-router';
import { CirclePlay } from 'lucide-react';
import { useMay } from '../../api/session.ts';
import { type ShownStats, statsPath } from '../../api/stats.ts';
import { Button } from '../../design/button.tsx';
import { countText, numberText } from '../../design/count-text.ts';
import { FormError } from '../../design/form.tsx';
import { Moment } from '../../design/moment.tsx';
import { Grid, Panel } from '../../design/panel.tsx';
import { Tag } from '../../design/tag.tsx';
import { actionLabels, releaseOf, useActOnSource } from '../sources/act-on-source.ts';
import { pauseText } from '../sources/pause-text.ts';
import { Figures } from './figures.tsx';
import styles from './overview.module.css';

/** A few entries of each problem; the lists show all. */
const shown = 5;

/** Problems that need attention: sick or silent workers, blocked sources, failing policies. */
export function Health({ stats }: { readonly stats: ShownStats }) {
  return (
    <Grid min={300}>
      <Workers workers={stats.workers} />
      <Sources sources={stats.sources} />
      <Policies policies={stats.policies} />
    </Grid>
  );
}

function Workers({ workers }: Pick<ShownStats, 'workers'>) {
  return (
    <Panel title="Workers" actions={<Link to="/workers">All</Link>}>
      <Figures
        figures={[
          ['Alive', numberText(workers.alive)],
          ['Sick', numberText(workers.sick)],
          ['Draining', numberText(workers.draining)],
          ['Silent', numberText(workers.silent)],
          ['Jobs', `${numberText(workers.running_jobs)} of ${numberText(workers.max_jobs)}`],
        ]}
      />
      {workers.alive === 0 && (
        <p className={styles.after}>
          <Tag tone="bad">no worker</Tag> Start a worker:{' '}
          <code className={styles.command}>holdfast worker</code>
        </p>
      )}
      <ul className={`${styles.list} ${styles.after}`}>
        {workers.in_trouble.slice(0, shown).map((worker) => (
          <li key={worker.id}>
            <span className={styles.name} title={worker.id}>
              {worker.id}
            </span>
            <span className={styles.end} title={worker.trouble ?? undefined}>
              <Tag tone="bad">{worker.state}</Tag> seen <Moment at={worker.last_seen} />
            </span>
          </li>
        ))}
      </ul>
      {workers.silent + workers.sick > shown && (
        <p className={styles.after}>
          <Link to="/workers">and {numberText(workers.silent + workers.sick - shown)} more</Link>
        </p>
      )}
    </Panel>
  );
}

function Sources({ sources }: Pick<ShownStats, 'sources'>) {
  const mayOperate = useMay('operate');
  const release = useActOnSource(statsPath);
  return (
    <Panel title="Sources" actions={<Link to="/sources">All</Link>}>
      {sources.in_trouble.length === 0 ? (
        <p>No source is paused.</p>
      ) : (
        <p>
          {countText(sources.blocked)} {sources.blocked.count === 1 ? 'source is' : 'sources are'} blocked:
        </p>
      )}
      <FormError error={release.error} />
      <ul className={`${styles.list} ${styles.after}`}>
        {sources.in_trouble.slice(0, shown).map((source) => (
          <li key={source.id}>
            <span>
              <span className={styles.name} title={source.name}>
                {source.name}
              </span>{' '}
              <Tag tone="bad">{pauseText(source)}</Tag>
            </span>
            {mayOperate && (
              <Button
                small
                disabled={release.isPending}
                onClick={() => release.mutate({ id: source.id, action: releaseOf(source) })}
              >
                <CirclePlay aria-hidden="true" /> {actionLabels[releaseOf(source)]}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {sources.blocked.count > shown && (
        <p className={styles.after}>
          <Link to="/sources" search={{ blocked: 'true' } as never}>
            and {countText({ ...sources.blocked, count: sources.blocked.count - shown })} more
          </Link>
        </p>
      )}
    </Panel>
  );
}

function Policies({ policies }: Pick<ShownStats, 'policies'>) {
  return (
    <Panel title="Policies" actions={<Link to="/policies">All</Link>}>
      <Figures
        figures={[
          ['Enabled', countText(policies.enabled)],
          ['Disabled', countText(policies.disabled)],
          ['Due now', countText(policies.due)],
          ['Failing', countText(policies.failing)],
        ]}
      />
    </Panel>
  );
}
