import styles from './progress-bar.module.css';

export function ProgressBar({ percent, label }: { readonly percent: number; readonly label?: string }) {
  if (percent === 0) return <>–</>;
  return (
    <span className={styles.progress}>
      <progress max={100} value={percent} aria-label={label ?? 'Progress'} />
      <span>{percent} %</span>
    </span>
  );
}
