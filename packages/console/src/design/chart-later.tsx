import { type ComponentProps, lazy, Suspense } from 'react';
import styles from './chart.module.css';

const Chart = lazy(() => import('./chart.tsx'));

/** A chart whose library is loaded when the first one is shown. */
export function ChartLater(props: ComponentProps<typeof Chart>) {
  return (
    <Suspense fallback={<div className={styles.waiting} />}>
      <Chart {...props} />
    </Suspense>
  );
}
