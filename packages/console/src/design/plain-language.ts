/**
 * uPlot asks for the numbers of the browser's language as soon as it is loaded, and fails where the browser names one that is
 * none (`en-US@posix`). So this is imported before it.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

export {};
