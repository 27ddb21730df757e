import { preferenceKinds } from '@holdfast/contract';
import type { ContentPreference, RobotsRules } from './robots-rules.ts';

const longest = 1_000;

export function isPreference(key: string): key is ContentPreference['kind'] {
  return (preferenceKinds as readonly string[]).includes(key);
}

/** `search=yes, ai-input=no`, or the same behind a path. */
export function readPreference(
  kind: ContentPreference['kind'],
  written: string,
  agents: readonly string[],
): ContentPreference | undefined {
  const value = written
    .slice(0, longest)
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  if (value === '') return undefined;
  if (kind === 'license') return { kind, agents: [], value };
  const [, path, rest] = /^(\/\S*)\s+(.*)$/.exec(value) ?? [];
  return { kind, agents: [...agents], ...(path !== undefined && { path }), value: rest ?? value };
}

/** Names for the use of content as input of a model's answer, in Content-Signal and in drafts of Content-Usage. */
const aiInput: ReadonlySet<string> = new Set(['ai-input', 'ai-use', 'ai']);
const refusals: ReadonlySet<string> = new Set(['no', 'n', 'false', '0']);

/** Whether robots.txt refuses that this agent gives a page to a model as input. The longest path that fits decides. */
export function refusesAiInput(
  { groups, preferences = [] }: RobotsRules,
  agent: string,
  path: string,
): boolean {
  const own = agent.toLowerCase();
  const isNamed =
    groups.some(({ agents }) => agents.includes(own)) ||
    preferences.some(({ agents }) => agents.includes(own));
  const name = isNamed ? own : '*';
  let decided: { length: number; refuses: boolean } | undefined;
  for (const preference of preferences) {
    const { kind, agents, value } = preference;
    if (kind === 'license' || !agents.includes(name) || !path.startsWith(preference.path ?? '')) continue;
    const length = preference.path?.length ?? 0;
    for (const part of value.toLowerCase().split(/[,;]/)) {
      const [use = '', answer = ''] = part.split('=').map((word) => word.trim());
      if (!aiInput.has(use)) continue;
      const refuses = refusals.has(answer);
      // Of two that say different things, the refusal counts.
      if (!decided || length > decided.length || (length === decided.length && refuses))
        decided = { length, refuses };
    }
  }
  return decided?.refuses ?? false;
}
