import { useEffect, useState } from 'react';

/** Copies a text and confirms it briefly. */
export function useCopy(): readonly [copied: boolean, copy: (text: string) => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  async function copy(text: string) {
    // Browsers provide the clipboard only on https and localhost.
    await navigator.clipboard?.writeText(text);
    setCopied(navigator.clipboard !== undefined);
  }
  return [copied, (text) => void copy(text).catch(() => setCopied(false))];
}
