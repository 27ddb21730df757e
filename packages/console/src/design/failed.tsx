import { RequestFailed } from '../api/request.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

interface FailedProps {
  readonly error: Error;
  readonly again?: () => unknown;
  /** The name of the missing resource, for 404. */
  readonly gone?: { readonly title: string; readonly text: string };
}

/** Shows what could not be loaded, why, and what to do. */
export function Failed({ error, again, gone }: FailedProps) {
  const status = error instanceof RequestFailed ? error.status : undefined;
  // An invalid id in the URL is also "not found".
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
