import type { ReactNode } from 'react';
import styles from './tag.module.css';

interface TagProps {
  readonly tone?: 'plain' | 'good' | 'bad' | 'warning';
  readonly children: ReactNode;
}

export function Tag({ tone = 'plain', children }: TagProps) {
  return <span className={`${styles.tag} ${styles[tone]}`}>{children}</span>;
}
