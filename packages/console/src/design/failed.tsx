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
  const status = error instanceof RequestFailed ? error.status : undefined;
  // An address with an id that can be none leads to nothing either.
  if (gone && (status === 404 || status === 400))
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
