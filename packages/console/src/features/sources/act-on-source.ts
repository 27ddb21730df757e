import type { ApiSource } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/request.ts';

export const sourcesPath = '/api/v1/sources';

type SourceAction = 'pause' | 'resume' | 'enable';

/** The action that unblocks the source: a disabled source must be enabled. */
export function releaseOf({ enabled }: Pick<ApiSource, 'enabled'>): 'resume' | 'enable' {
  return enabled ? 'resume' : 'enable';
}

export const actionLabels = { pause: 'Pause', resume: 'Resume', enable: 'Enable' } as const;

/** `queryKey`: the query to refetch. */
export function useActOnSource(queryKey: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, action }: { id: string; action: SourceAction }) => {
      const path = `${sourcesPath}/${encodeURIComponent(id)}`;
      return action === 'enable'
        ? request(path, { method: 'PATCH', body: { enabled: true } })
        : request(`${path}/${action}`, { method: 'POST', body: {} });
    },
    onSettled: () => client.invalidateQueries({ queryKey: [queryKey] }),
  });
}
