import type { UserAction } from '@holdfast/contract';
import {
  Ban,
  CirclePause,
  CirclePlay,
  FastForward,
  LockOpen,
  type LucideIcon,
  RotateCcw,
  TimerOff,
} from 'lucide-react';

export interface ActionLook {
  readonly label: string;
  readonly icon: LucideIcon;
  /** The last segment of its API path. */
  readonly path: string;
  /** The confirmation question for one job. */
  readonly question: string;
  /** The effect on a job: "The job …". */
  readonly meaning: string;
  readonly asksFirst?: true;
  readonly scope: 'jobs:write' | 'operate';
}

export const actionLooks: Record<UserAction, ActionLook> = {
  runNow: {
    label: 'Run now',
    icon: FastForward,
    path: 'run-now',
    question: 'Run the job now',
    meaning: 'starts now; no retry is used',
    scope: 'jobs:write',
  },
  pause: {
    label: 'Pause',
    icon: CirclePause,
    path: 'pause',
    question: 'Pause the job',
    meaning: 'stops after a checkpoint and can be resumed from it',
    scope: 'jobs:write',
  },
  resume: {
    label: 'Resume',
    icon: CirclePlay,
    path: 'resume',
    question: 'Resume the job',
    meaning: 'continues from its checkpoint',
    scope: 'jobs:write',
  },
  cancel: {
    label: 'Cancel',
    icon: Ban,
    path: 'cancel',
    question: 'Cancel the job',
    meaning: 'stops; its stored data stays',
    asksFirst: true,
    scope: 'jobs:write',
  },
  retry: {
    label: 'Mark pending',
    icon: RotateCcw,
    path: 'retry',
    question: 'Mark the job pending',
    meaning: 'runs again from its checkpoint; a completed visit or collection runs as a new job',
    scope: 'jobs:write',
  },
  expire: {
    label: 'Mark expired',
    icon: TimerOff,
    path: 'expire',
    question: 'Mark the job expired',
    meaning: 'loses its lease and is marked expired',
    asksFirst: true,
    scope: 'operate',
  },
  resetLock: {
    label: 'Reset lock',
    icon: LockOpen,
    path: 'reset-lock',
    question: 'Reset the lock',
    meaning: 'loses its lease and becomes available again',
    asksFirst: true,
    scope: 'operate',
  },
};
