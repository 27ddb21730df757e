import { type AdapterType, adapterConfigs, type SourceSettings } from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

const currentStatement = statement<{ adapter_type: AdapterType | null; config: Record<string, unknown> }>(
  'current-adapter',
  'SELECT adapter_type, config FROM sources WHERE id = $1',
);

/**
 * Throws unless the adapter that a source will have with these settings can be run as it is configured. What a worker runs
 * is checked again there: a configuration may be older than the rules.
 */
export async function checkAdapter(
  db: Queryable,
  id: string,
  settings: SourceSettings,
): Promise<{ hosts: string[] }> {
  if (settings.adapter_type === undefined && settings.config === undefined) return { hosts: [] };
  const [current] = await run(db, currentStatement, [id]);
  const type = settings.adapter_type === undefined ? current?.adapter_type : settings.adapter_type;
  if (!type) return { hosts: [] };
  const config = checked(adapterConfigs[type], settings.config ?? current?.config ?? {}, 'config');
  if (type === 'html') {
    // Only now: a parser of HTML takes long to load, and commands and servers begin all the time.
    const { checkSelectors } = await import('./selectors.ts');
    checkSelectors(checked(adapterConfigs.html, config, 'config'));
  }
  return { hosts: hostsOf(config) };
}

/** Whom the adapter asks: the host of its URL, and of its tokens. */
function hostsOf(config: object): string[] {
  const { url, oauth } = config as { url?: string; oauth?: { token_url: string } };
  return [url, oauth?.token_url].flatMap((template) =>
    template === undefined ? [] : [new URL(template.replaceAll(/\{[^{}]*\}/g, 'x')).host],
  );
}
