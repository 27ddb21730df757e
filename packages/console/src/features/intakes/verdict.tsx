import type { ApiValuation } from '@holdfast/contract';
import type { Wire } from '../../api/wire.ts';
import { decimalText } from '../../design/count-text.ts';
import { Moment } from '../../design/moment.tsx';
import { Panel } from '../../design/panel.tsx';
import { ConfidenceTag } from './confidence-tag.tsx';
import styles from './verdict.module.css';

/** The value of the item, its confidence, and the reasons. */
export function Verdict({ valuation }: { readonly valuation: Wire<ApiValuation> }) {
  const { median, currency, mean, p20, p80, confidence, reasons, valued_at } = valuation;
  return (
    <Panel
      title="Valuation"
      actions={
        <span className={styles.sure}>
          confidence <ConfidenceTag confidence={confidence} />
        </span>
      }
    >
      <p className={styles.worth}>
        <strong>{decimalText(median)}</strong> {currency}
      </p>
      <p className={styles.range}>
        Most cost from {decimalText(p20)} to {decimalText(p80)}; the mean is {decimalText(mean)}. Valued{' '}
        <Moment at={valued_at} />.
      </p>
      <ul className={styles.reasons} aria-label="What raised or lowered the confidence">
        {reasons.map(({ points, text }) => (
          <li key={text}>
            <span>{points > 0 ? `+${points}` : points === 0 ? '0' : `−${-points}`}</span>
            {text}
          </li>
        ))}
      </ul>
      {leftOutText(valuation) && <p className={styles.range}>{leftOutText(valuation)}</p>}
    </Panel>
  );
}

/** "Excluded: 2 outliers, 1 in another currency." */
function leftOutText({ outliers, other_currencies, not_used }: Wire<ApiValuation>): string | undefined {
  const parts = [
    outliers > 0 && `${outliers} ${outliers === 1 ? 'outlier' : 'outliers'}`,
    other_currencies > 0 &&
      `${other_currencies} in ${other_currencies === 1 ? 'another currency' : 'other currencies'}`,
    not_used > 0 && `${not_used} not comparable (bids, weak matches, asks where there are enough sales)`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `Excluded: ${parts.join(', ')}.` : undefined;
}
