import type { KeyScope, UserAction } from '@holdfast/contract';

/** Taking a job from whoever holds it is for operators. */
export const actionScopes: Record<UserAction, KeyScope> = {
  runNow: 'jobs:write',
  pause: 'jobs:write',
  resume: 'jobs:write',
  cancel: 'jobs:write',
  retry: 'jobs:write',
  resetLock: 'operate',
  expire: 'operate',
};
