import { RequestFailed } from '../api/request.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

interface FailedProps {
  readonly error: Error;
  readonly again?: () => unknown;
  /** What is missing when the server says that there is none. */
  readonly gone?: { readonly title: string; readonly text: string };
}

/** What could not be read, why, and what to do about it. */
export function Failed({ error, again, gone }: FailedProps) {
  if (gone && error instanceof RequestFailed && error.status === 404)
    return (
      <Notice kind="error" title={gone.title}>
        {gone.text}
      </Notice>
    );
  return (
    <Notice
      kind="error"
      title={error.message}
      actions={again && <Button onClick={() => void again()}>Try again</Button>}
    >
      {error instanceof RequestFailed && error.hint}
    </Notice>
  );
}
