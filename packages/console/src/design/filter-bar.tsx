import { Search, SlidersHorizontal, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './filter-bar.module.css';
import { SavedViews } from './saved-views.tsx';
import { useSearchState } from './search-state.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly count?: string | undefined;
}

interface FilterBarProps {
  /** The most used filters; on narrow screens the others are behind a button. */
  readonly first?: ReactNode;
  readonly children: ReactNode;
  readonly clearable: readonly string[];
}

/** The filters of a list, stored in the URL so that a link shows the same list. */
export function FilterBar({ first, children, clearable }: FilterBarProps) {
  const [state, setState] = useSearchState();
  const [open, setOpen] = useState(false);
  const active = clearable.filter((name) => state[name]);
  return (
    <search className={styles.bar}>
      {first}
      {first && (
        <Button
          look="quiet"
          small
          className={styles.toggle}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <SlidersHorizontal aria-hidden="true" /> Filters
        </Button>
      )}
      <div className={`${styles.rest} ${first && !open ? styles.folded : ''}`}>{children}</div>
      {active.length > 0 && (
        <Button
          look="quiet"
          small
          onClick={() => setState(Object.fromEntries(clearable.map((name) => [name, undefined])))}
        >
          <X aria-hidden="true" /> Clear filters
        </Button>
      )}
      <SavedViews active={Object.fromEntries(active.map((name) => [name, state[name] ?? '']))} />
    </search>
  );
}

/** Multiple choice: `status=failed,expired`. */
export function ChipFilter({ name, label, choices }: FilterProps) {
  const [state, setState] = useSearchState();
  const on = new Set((state[name] ?? '').split(',').filter(Boolean));
  const chips = useRef<HTMLFieldSetElement>(null);
  // On narrow screens the chips are in one scrollable line.
  useEffect(() => {
    const [first] = chips.current?.querySelectorAll<HTMLElement>('[aria-pressed="true"]') ?? [];
    if (first && chips.current) chips.current.scrollLeft = first.offsetLeft - chips.current.offsetLeft;
  }, []);
  function toggle(value: string) {
    if (!on.delete(value)) on.add(value);
    setState({ [name]: [...on].join(',') || undefined });
  }
  return (
    <fieldset ref={chips} className={styles.chips}>
      <legend className="visually-hidden">{label}</legend>
      {choices.map(({ value, label: text, count }) => (
        <button key={value} type="button" aria-pressed={on.has(value)} onClick={() => toggle(value)}>
          {text}
          {count !== undefined && <span className={styles.count}>{count}</span>}
        </button>
      ))}
    </fieldset>
  );
}

interface FilterProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
}

export function SelectFilter({ name, label, choices }: FilterProps) {
  const [state, setState] = useSearchState();
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <select
        value={state[name] ?? ''}
        onChange={(event) => setState({ [name]: event.target.value || undefined })}
      >
        <option value="">any</option>
        {choices.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Typed text is written to the URL after a pause in typing. */
export function TextFilter({ name, label, wide = false }: { name: string; label: string; wide?: boolean }) {
  const [state, setState] = useSearchState();
  const given = state[name] ?? '';
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  useEffect(() => {
    if (text === given) return;
    const timer = setTimeout(() => setState({ [name]: text || undefined }), 300);
    return () => clearTimeout(timer);
  }, [text, given, name, setState]);
  return (
    <label className={`${styles.search} ${wide ? styles.wide : ''}`}>
      <Search aria-hidden="true" />
      <span className="visually-hidden">{label}</span>
      <input
        type="search"
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

/** Inputs use the browser's time zone; the URL stores absolute times. */
export function DateFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [state, setState] = useSearchState();
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <input
        type="datetime-local"
        value={localText(state[name])}
        onChange={(event) =>
          setState({ [name]: event.target.value ? new Date(event.target.value).toISOString() : undefined })
        }
      />
    </label>
  );
}

function localText(moment: string | undefined): string {
  if (!moment || Number.isNaN(Date.parse(moment))) return '';
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
