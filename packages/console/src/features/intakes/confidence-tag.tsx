import { Tag } from '../../design/tag.tsx';

/** The confidence of a valuation, from 1 to 10. */
export function ConfidenceTag({ confidence }: { readonly confidence: number }) {
  const tone = confidence >= 7 ? 'good' : confidence >= 4 ? 'warning' : 'bad';
  return <Tag tone={tone}>{confidence} of 10</Tag>;
}
