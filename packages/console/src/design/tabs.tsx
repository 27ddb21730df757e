import { useSearchState } from './search-state.ts';
import styles from './tabs.module.css';

/** Tabs whose selection is part of the URL. */
export function Tabs({ names, current }: { readonly names: readonly string[]; readonly current: string }) {
  const [, setState] = useSearchState();
  return (
    <div className={styles.tabs} role="tablist">
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === current}
          onClick={() => setState({ tab: name === names[0] ? undefined : name })}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
