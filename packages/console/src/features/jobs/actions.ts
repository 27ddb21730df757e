import type { UserAction } from '@holdfast/contract';
import { Ban, CirclePause, CirclePlay, LockOpen, type LucideIcon, RotateCcw, TimerOff } from 'lucide-react';

export interface ActionLook {
  readonly label: string;
  readonly icon: LucideIcon;
  /** The last part of its address in the API. */
  readonly path: string;
  /** What it does to one job, for those who are asked first. */
  readonly meaning: string;
  readonly asksFirst?: true;
  readonly scope: 'jobs:write' | 'operate';
}

export const actionLooks: Record<UserAction, ActionLook> = {
  pause: {
    label: 'Pause',
    icon: CirclePause,
    path: 'pause',
    meaning: 'stops after a checkpoint; resume goes on from there',
    scope: 'jobs:write',
  },
  resume: {
    label: 'Resume',
    icon: CirclePlay,
    path: 'resume',
    meaning: 'goes on from its checkpoint',
    scope: 'jobs:write',
  },
  cancel: {
    label: 'Cancel',
    icon: Ban,
    path: 'cancel',
    meaning: 'ends it; what was stored stays',
    asksFirst: true,
    scope: 'jobs:write',
  },
  retry: {
    label: 'Mark pending',
    icon: RotateCcw,
    path: 'retry',
    meaning: 'runs again, from its checkpoint',
    scope: 'jobs:write',
  },
  expire: {
    label: 'Mark expired',
    icon: TimerOff,
    path: 'expire',
    meaning: 'takes the lease away and ends the job as expired',
    asksFirst: true,
    scope: 'operate',
  },
  resetLock: {
    label: 'Reset lock',
    icon: LockOpen,
    path: 'reset-lock',
    meaning: 'takes the lease away; the job is ready for the next holder',
    asksFirst: true,
    scope: 'operate',
  },
};
