import { useNavigate } from '@tanstack/react-router';
import { Bookmark, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button.tsx';
import styles from './saved-views.module.css';

type Filters = Readonly<Record<string, string>>;

const storageKey = 'holdfast-views';

/** Stored per list URL, in this browser only. */
function readViews(): Record<string, Filters[]> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Record<string, Filters[]>;
  } catch {
    return {};
  }
}

/** Saved combinations of filters. */
export function SavedViews({ active }: { readonly active: Filters }) {
  const navigate = useNavigate();
  const list = location.pathname;
  const [views, setViews] = useState(() => readViews()[list] ?? []);
  const isNew = Object.keys(active).length > 0 && !views.some((view) => nameOf(view) === nameOf(active));
  function store(next: Filters[]) {
    localStorage.setItem(storageKey, JSON.stringify({ ...readViews(), [list]: next }));
    setViews(next);
  }
  return (
    <>
      {isNew && (
        <Button look="quiet" small onClick={() => store([...views, active].slice(-10))}>
          <Bookmark aria-hidden="true" /> Save this view
        </Button>
      )}
      {views.map((view) => (
        <span key={nameOf(view)} className={styles.view}>
          <button type="button" onClick={() => void navigate({ to: '.', search: view as never })}>
            {nameOf(view)}
          </button>
          <button
            type="button"
            aria-label={`Delete the view ${nameOf(view)}`}
            onClick={() => store(views.filter((other) => other !== view))}
          >
            <X aria-hidden="true" />
          </button>
        </span>
      ))}
    </>
  );
}

function nameOf(view: Filters): string {
  return Object.entries(view)
    .map(([name, value]) => (name === 'status' || name === 'search' ? value : `${name} ${value}`))
    .join(', ');
}
