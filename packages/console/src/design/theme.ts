import { useEffect, useState } from 'react';

type Theme = 'light' | 'dark';
const storageKey = 'holdfast-theme';

function preferred(): Theme {
  const stored = localStorage.getItem(storageKey);
  if (stored === 'light' || stored === 'dark') return stored;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** The theme of the system, unless the user has chosen one. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(preferred);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  function toggle() {
    const next = theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem(storageKey, next);
    setTheme(next);
  }
  return [theme, toggle];
}
