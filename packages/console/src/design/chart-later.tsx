import { Component, type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import styles from './chart.module.css';

const Chart = lazy(() => import('./chart.tsx'));

/** A chart whose library is loaded when the first one is shown. */
export function ChartLater(props: ComponentProps<typeof Chart>) {
  return (
    <WithoutChart>
      <Suspense fallback={<div className={styles.waiting} />}>
        <Chart {...props} />
      </Suspense>
    </WithoutChart>
  );
}

/** If the chart fails to load, the rest of the view still works. */
class WithoutChart extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? <p>The chart could not be displayed.</p> : this.props.children;
  }
}
