import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** The browser's own modal dialog: focus stays inside, Escape closes, the rest is inert. */
export function Dialog({ open, onClose, title, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!open) return dialog.current?.close();
    dialog.current?.showModal();
    // Initial focus: the first field, or the button that changes nothing.
    dialog.current
      ?.querySelector<HTMLElement>('form :is(input, select, textarea), footer button')
      ?.focus({ preventScroll: true });
  }, [open]);
  return (
    <dialog ref={dialog} className={styles.dialog} onClose={onClose} aria-label={title}>
      {open && (
        <>
          <header>
            <h2>{title}</h2>
            <Button look="quiet" small aria-label="Close" onClick={onClose}>
              <X aria-hidden="true" />
            </Button>
          </header>
          <div className={styles.body}>{children}</div>
          {actions && <footer>{actions}</footer>}
        </>
      )}
    </dialog>
  );
}
