import type { ApiValuation, Intake } from '@holdfast/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Plus, SearchCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { RequestFailed, request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Failed } from '../../design/failed.tsx';
import { FormError } from '../../design/form.tsx';
import { Moment } from '../../design/moment.tsx';
import { Facts, Grid, Panel } from '../../design/panel.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { Tabs } from '../../design/tabs.tsx';
import { ViewHeader } from '../../design/view-header.tsx';
import { Distribution } from './distribution.tsx';
import { ImportPrices } from './import-prices.tsx';
import styles from './intake-detail.module.css';
import { IntakeForm } from './intake-form.tsx';
import { IntakeJobs } from './intake-jobs.tsx';
import { intakeName } from './intake-name.ts';
import { PricePoints } from './price-points.tsx';
import { useCollect } from './use-collect.ts';
import { ValuationHistory } from './valuation-history.tsx';
import { Verdict } from './verdict.tsx';

const tabs = ['prices', 'history', 'jobs'] as const;

/** An intake: its valuation with confidence and reasons, and the prices it is based on. */
export function IntakeDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const path = `/api/v1/intakes/${id}`;
  const mayWrite = useMay('jobs:write');
  const { data: intake, error, refetch } = useOne<Wire<Intake>>(path);
  const valuation = useOne<Wire<ApiValuation>>(`/api/v1/valuations/${id}`);
  const liveness = useLive('/api/v1/events?kind=collect', [
    [path],
    [`/api/v1/valuations/${id}`],
    [`/api/v1/valuations/${id}/distribution`],
    [`/api/v1/valuations/${id}/history`],
    ['/api/v1/price-points'],
    ['/api/v1/jobs'],
  ]);
  const [state] = useSearchState();
  const [editing, setEditing] = useState(false);
  const [adding, setAdding] = useState(false);
  const collect = useCollect();
  if (error && !intake)
    return (
      <>
        <ViewHeader title="Intake" />
        <Failed
          error={error}
          again={refetch}
          gone={{
            title: 'Intake not found',
            text: 'It may have been deleted or belong to another owner.',
          }}
        />
      </>
    );
  if (!intake) return null;
  const tab = tabs.find((name) => name === state['tab']) ?? tabs[0];
  // The valuation may be gone, because its prices were deleted.
  const isUnvalued = valuation.error instanceof RequestFailed && valuation.error.status === 404;
  return (
    <>
      <ViewHeader title={intakeName(intake)} liveness={liveness}>
        {mayWrite && (
          <>
            <Button look="primary" disabled={collect.isPending} onClick={() => collect.mutate([id])}>
              <SearchCheck aria-hidden="true" /> Collect now
            </Button>
            <Button onClick={() => setAdding(true)}>
              <Plus aria-hidden="true" /> Add prices
            </Button>
            <Button onClick={() => setEditing(true)}>
              <Pencil aria-hidden="true" /> Edit
            </Button>
            <DeleteIntake intake={intake} />
          </>
        )}
      </ViewHeader>
      <FormError error={collect.error} />
      {collect.isSuccess && (
        <p role="status" className={styles.said}>
          {collect.data}
        </p>
      )}
      <Grid min={420}>
        <div className={styles.column}>
          {valuation.data && !isUnvalued ? (
            <Verdict valuation={valuation.data} />
          ) : (
            <Panel title="Valuation">
              {valuation.error && !isUnvalued ? (
                <FormError error={valuation.error} />
              ) : (
                isUnvalued && (
                  <p>
                    {valuation.error?.message}. Collect now asks every source that has an adapter; prices that
                    you know can be added by hand.
                  </p>
                )
              )}
            </Panel>
          )}
          <Panel title="Item">
            <Facts
              facts={[
                ...Object.entries(intake.attributes).map(([name, value]) => [name, String(value)] as const),
                ['Tags', intake.tags.join(', ')],
                ['Reference', intake.reference],
                ['Currency', intake.currency ?? 'that of most prices'],
                ['Must agree', intake.must_agree?.join(', ')],
                ['Owner', intake.user_id],
                ['Created', <Moment key="created" at={intake.created_at} />],
                ['Changed', <Moment key="changed" at={intake.updated_at} />],
                ['Id', <code key="id">{intake.id}</code>, 'wide'],
              ]}
            />
          </Panel>
        </div>
        {valuation.data && !isUnvalued && <Distribution valuation={valuation.data} />}
      </Grid>
      <Tabs names={tabs} current={tab} />
      {tab === 'prices' && <PricePoints intakeId={id} />}
      {tab === 'history' && <ValuationHistory intakeId={id} />}
      {tab === 'jobs' && <IntakeJobs intakeId={id} />}
      <IntakeForm edited={editing ? intake : undefined} onClose={() => setEditing(false)} />
      <ImportPrices intakeId={id} open={adding} onClose={() => setAdding(false)} />
    </>
  );
}

/** Enough to identify it. */
function cut(name: string): string {
  return name.length > 120 ? `${name.slice(0, 120)}…` : name;
}

function DeleteIntake({ intake }: { readonly intake: Wire<Intake> }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => request(`/api/v1/intakes/${intake.id}`, { method: 'DELETE' }),
    onSuccess: () => void navigate({ to: '/intakes' }),
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsked(true)}>
        <Trash2 aria-hidden="true" /> Delete
      </Button>
      <Dialog
        open={asked}
        onClose={() => setAsked(false)}
        title="Delete intake"
        actions={
          <>
            <Button onClick={() => setAsked(false)}>Back</Button>
            <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
              Delete
            </Button>
          </>
        }
      >
        <p>
          {cut(intakeName(intake))} goes for good, with its prices and its valuation. Jobs that run are
          cancelled.
        </p>
        <FormError error={remove.error} />
      </Dialog>
    </>
  );
}
