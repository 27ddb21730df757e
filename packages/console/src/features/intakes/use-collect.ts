import type { EnqueuedIntake } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import type { Wire } from '../../api/wire.ts';

interface Asked {
  readonly data: readonly Wire<EnqueuedIntake>[];
}

/** Enqueues collect jobs for some intakes and describes the outcome in one sentence. */
export function useCollect(onDone?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]) =>
      outcomeText((await request<Asked>('/api/v1/intakes/enqueue', { method: 'POST', body: { ids } })).data),
    onSuccess: () => onDone?.(),
    onSettled: () => client.invalidateQueries({ queryKey: ['/api/v1/jobs'] }),
  });
}

function outcomeText(asked: Asked['data']): string {
  const made = asked.filter(({ outcome }) => outcome === 'created').length;
  const before = asked.length - made;
  const jobs = (count: number) => (count === 1 ? '1 job' : `${count} jobs`);
  if (before === 0) return `${jobs(made)} created.`;
  const running = `${jobs(before)} already running`;
  return made === 0 ? `Nothing new to collect: ${running}.` : `${jobs(made)} created; ${running}.`;
}
