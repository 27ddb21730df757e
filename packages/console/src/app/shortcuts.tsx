import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../design/dialog.tsx';
import styles from './shortcuts.module.css';
import { views } from './views.ts';

const others = [
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['x', 'Select the row'],
  ['Enter', 'Open the row'],
  ['?', 'Show this help'],
] as const;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Across all tables of a view, in display order. */
function walkRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLTableRowElement>('main tbody tr[tabindex]')];
  const current = document.activeElement?.closest('tr') as HTMLTableRowElement | null | undefined;
  const at = current ? rows.indexOf(current) : -1;
  rows[at === -1 ? 0 : at + step]?.focus();
}

/** Keyboard shortcuts of every view; rows handle x and Enter themselves. */
export function useShortcuts(): { readonly open: boolean; readonly close: () => void } {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const afterG = useRef(false);
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const view = afterG.current ? views.find(({ shortcut }) => shortcut === event.key) : undefined;
      afterG.current = event.key === 'g';
      if (view) {
        event.preventDefault();
        event.stopImmediatePropagation();
        void navigate({ to: view.path });
      } else if (event.key === 'j' || event.key === 'k') walkRows(event.key === 'j' ? 1 : -1);
      else if (event.key === '?') setOpen(true);
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('input[type="search"]');
        if (!search) return;
        event.preventDefault();
        search.focus();
      }
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate]);
  return { open, close: () => setOpen(false) };
}

export function ShortcutHelp({ open, close }: ReturnType<typeof useShortcuts>) {
  return (
    <Dialog open={open} onClose={close} title="Shortcuts">
      <dl className={styles.list}>
        {views.map(({ name, shortcut }) => (
          <div key={name}>
            <dt>
              <kbd>g</kbd> <kbd>{shortcut}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        {others.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
