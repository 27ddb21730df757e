import type { ListedResult } from '@holdfast/contract';
import { Tag } from '../../design/tag.tsx';

/** The availability; nothing if unknown. */
export function StockTag({ in_stock }: Pick<ListedResult, 'in_stock'>) {
  if (in_stock === null) return <>–</>;
  return <Tag tone={in_stock ? 'good' : 'plain'}>{in_stock ? 'in stock' : 'out of stock'}</Tag>;
}
