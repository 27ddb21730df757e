/**
 * uPlot formats numbers in the browser's language when it is loaded, and throws if that is invalid (`en-US@posix`). So
 * this must be imported first.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

export {};
