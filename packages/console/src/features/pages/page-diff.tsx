import { useOne } from '../../api/use-one.ts';
import { Notice } from '../../design/notice.tsx';
import styles from './page-diff.module.css';

interface Diff {
  readonly before_job_id: string | null;
  readonly diff: string;
}

/** What changed in the text since the crawl before, line by line. */
export function PageDiff({ jobId, hash }: { readonly jobId: string; readonly hash: string }) {
  const { data, error } = useOne<Diff>(`/api/v1/jobs/${jobId}/pages/${hash}/diff`);
  if (error) return <Notice kind="error" title={error.message} />;
  if (!data) return null;
  return (
    <pre className={styles.diff}>
      {data.diff.split('\n').map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change while it is shown
        <span key={at} className={lookOf(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function lookOf(line: string): string | undefined {
  if (line.startsWith('+')) return styles.added;
  if (line.startsWith('-')) return styles.removed;
  return line.startsWith('@@') ? styles.place : undefined;
}
