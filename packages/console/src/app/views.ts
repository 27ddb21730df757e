import {
  Bot,
  CalendarClock,
  FileText,
  Gauge,
  KeyRound,
  ListTodo,
  type LucideIcon,
  Radio,
  Scale,
  Server,
  Tags,
  UserRound,
} from 'lucide-react';

export interface View {
  readonly path: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** Typed after g. */
  readonly shortcut: string;
}

/** The views of the console, in the order of the menu. */
export const views: readonly View[] = [
  { path: '/', name: 'Overview', icon: Gauge, shortcut: 'o' },
  { path: '/jobs', name: 'Jobs', icon: ListTodo, shortcut: 'j' },
  { path: '/pages', name: 'Pages', icon: FileText, shortcut: 'p' },
  { path: '/policies', name: 'Policies', icon: CalendarClock, shortcut: 'y' },
  { path: '/results', name: 'Results', icon: Tags, shortcut: 'r' },
  { path: '/intakes', name: 'Intakes', icon: Scale, shortcut: 'i' },
  { path: '/sources', name: 'Sources', icon: Radio, shortcut: 's' },
  { path: '/profiles', name: 'Profiles', icon: UserRound, shortcut: 'f' },
  { path: '/bots', name: 'Bots', icon: Bot, shortcut: 'b' },
  { path: '/workers', name: 'Workers', icon: Server, shortcut: 'w' },
  { path: '/keys', name: 'Keys', icon: KeyRound, shortcut: 'k' },
];
