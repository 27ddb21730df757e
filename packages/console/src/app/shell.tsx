import { Link, Outlet } from '@tanstack/react-router';
import { LogOut, Menu, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { useIsAway } from '../api/away.ts';
import { useSession, useSignOut } from '../api/session.ts';
import { Button } from '../design/button.tsx';
import { useTheme } from '../design/theme.ts';
import styles from './shell.module.css';
import { ShortcutHelp, useShortcuts } from './shortcuts.tsx';
import { views } from './views.ts';

export function Shell() {
  const session = useSession();
  const signOut = useSignOut();
  const [theme, toggleTheme] = useTheme();
  const [menuOpen, setMenuOpen] = useState(false);
  const isAway = useIsAway();
  const shortcuts = useShortcuts();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu, wherever the focus is within
    <div
      className={styles.shell}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setMenuOpen(false);
      }}
    >
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <header className={styles.bar}>
        <Button
          look="quiet"
          className={styles.menuButton}
          aria-expanded={menuOpen}
          aria-label="Menu"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          <Menu aria-hidden="true" />
        </Button>
        <Link to="/" className={styles.brand}>
          <img src="/icon.svg" alt="" width="22" height="22" /> Holdfast
        </Link>
        <span className={styles.who} title={session?.scopes.join(', ')}>
          {session?.key_name}
        </span>
        <Button
          look="quiet"
          aria-label={`Use the ${theme === 'dark' ? 'light' : 'dark'} theme`}
          onClick={toggleTheme}
        >
          {theme === 'dark' ? <Sun aria-hidden="true" /> : <Moon aria-hidden="true" />}
        </Button>
        <Button look="quiet" aria-label="Sign out" onClick={() => signOut.mutate()}>
          <LogOut aria-hidden="true" />
        </Button>
      </header>
      <nav className={`${styles.menu} ${menuOpen ? styles.open : ''}`} aria-label="Views">
        <ul>
          {views.map(({ path, name, icon: Icon }) => (
            <li key={path}>
              <Link
                to={path}
                activeOptions={{ exact: path === '/' }}
                activeProps={{ className: styles.current ?? '', 'aria-current': 'page' }}
                onClick={() => setMenuOpen(false)}
              >
                <Icon aria-hidden="true" /> {name}
              </Link>
            </li>
          ))}
        </ul>
        <p className={styles.keys}>
          <kbd>?</kbd> shortcuts
        </p>
      </nav>
      <main id="content" className={styles.content} tabIndex={-1}>
        {isAway && (
          <p role="status" className={styles.away}>
            Holdfast is not responding. You see the last known state; this page retries automatically.
          </p>
        )}
        <Outlet />
      </main>
      <ShortcutHelp {...shortcuts} />
    </div>
  );
}
