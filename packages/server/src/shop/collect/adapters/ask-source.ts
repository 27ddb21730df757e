import {
  type AdapterType,
  adapterConfigs,
  describeIssues,
  HoldfastError,
  type HtmlAdapterConfig,
} from '@holdfast/contract';
import type { ItemAttributes } from '../../points/match-strength.ts';
import type { Listing } from '../../points/price-point.ts';
import type { Adapter, AdapterContext } from './adapter.ts';
import { jsonAdapter } from './json-adapter.ts';
import { moduleAdapter } from './module-adapter.ts';

/** The listings of an item at a source, through the source's adapter. */
export function askSource(
  source: { readonly adapter_type: string | null; readonly config: Record<string, unknown> },
  item: ItemAttributes,
  context: AdapterContext,
): Promise<Listing[]> {
  const type = source.adapter_type as AdapterType | null;
  switch (type) {
    case 'json':
      return jsonAdapter(checkedConfig(type, source.config), item, context);
    case 'html':
      return askHtml(checkedConfig(type, source.config), item, context);
    case 'module':
      return moduleAdapter(checkedConfig(type, source.config), item, context);
    default:
      throw new HoldfastError('adapter_missing', context.sourceId);
  }
}

/** Loads the HTML parser on demand: few runners ever need it. */
const askHtml: Adapter<HtmlAdapterConfig> = async (...given) => {
  const { htmlAdapter } = await import('./html-adapter.ts');
  return await htmlAdapter(...given);
};

/** Validates an adapter's configuration and applies the defaults. */
function checkedConfig<Type extends AdapterType>(
  type: Type,
  config: Record<string, unknown>,
): ReturnType<(typeof adapterConfigs)[Type]['parse']> {
  const checked = adapterConfigs[type].safeParse(config);
  if (checked.success) return checked.data as ReturnType<(typeof adapterConfigs)[Type]['parse']>;
  throw new HoldfastError(
    'adapter_invalid',
    describeIssues(checked.error, (field) => field),
  );
}
