import type { PageDiff as Diff } from '@holdfast/contract';
import { Link } from '@tanstack/react-router';
import { useOne } from '../../api/use-one.ts';
import { Failed } from '../../design/failed.tsx';
import { Notice } from '../../design/notice.tsx';
import styles from './page-diff.module.css';

/** A line diff of the text since the previous crawl. */
export function PageDiff({ jobId, hash }: { readonly jobId: string; readonly hash: string }) {
  const { data, error, refetch } = useOne<Diff>(`/api/v1/jobs/${jobId}/pages/${hash}/diff`);
  if (error && !data) return <Failed error={error} again={refetch} />;
  if (!data) return null;
  return (
    <>
      <p className={styles.before}>
        Compared with{' '}
        <Link to="/pages/$jobId/$hash" params={{ jobId: data.baseline, hash }}>
          the page in the previous crawl
        </Link>
      </p>
      {data.diff === '' && <Notice title="The text is unchanged" />}
      <pre className={styles.diff}>
        {data.diff
          .trimEnd()
          .split('\n')
          .map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change while it is shown
            <span key={at} className={lookOf(line)}>
              {line || ' '}
            </span>
          ))}
      </pre>
    </>
  );
}

function lookOf(line: string): string | undefined {
  if (/^(---|\+\+\+) |^@@/.test(line)) return styles.place;
  if (line.startsWith('+')) return styles.added;
  if (line.startsWith('-')) return styles.removed;
  return undefined;
}
